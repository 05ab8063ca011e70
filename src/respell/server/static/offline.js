// The service worker of a page without a server: keeps its files, so that it works offline.
// `respell page` writes VERSION and FILES before this text.

// Other pages of the same host may be in other folders, so the name has the folder, too.
const PAGE = `respell ${registration.scope} `;
const CACHE = PAGE + VERSION;

async function install() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
}

/** Forget the files of earlier versions. No page uses them any more: activation waits for that. */
async function activate() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PAGE) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

async function answer(event) {
  const { request } = event;
  const cache = await caches.open(CACHE);
  // A page reloads a file if the one in the cache is damaged.
  const known = request.cache !== "reload" && (await cache.match(named(request)));
  if (known) return known;
  const response = await fetch(request);
  // If there is no room in the cache, the page works, but not offline.
  if (response.ok) event.waitUntil(cache.put(named(request), response.clone()).catch(() => {}));
  return response;
}

/** The address under which an answer is kept. */
function named({ url }) {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/index\.html$/, "/");
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method !== "GET" || !url.startsWith(registration.scope)) return;
  event.respondWith(answer(event));
});
