// Sends requests to the server of this page.

import { ApiError } from "./error.js";

async function send(path, body, signal) {
  const options = { signal, credentials: "same-origin", cache: "no-store" };
  if (body) {
    options.method = "POST";
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Your text is still here.", { offline: true });
  }
  const answer = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return null;
  });
  if (response.ok && answer !== null) return answer;
  const reason = typeof answer?.error === "string" ? answer.error : `status ${response.status}`;
  const { status } = response;
  throw new ApiError(`The server could not check the text: ${reason}`, { status });
}

/** The findings of each text, in order. */
export async function correct(texts, options, signal) {
  const body = { text: texts, offsets: "utf16", max_suggestions: 5, ...options };
  const { results } = await send("v1/correct", body, signal);
  return results.map((result) => result.corrections);
}

/** What the model says about the word at an offset. */
export function explain(text, start, signal) {
  return send("v1/explain", { text, start, offsets: "utf16", max_candidates: 5 }, signal);
}

/** Name, edition and presets of the model, and the version of the server. */
export function info() {
  return send("v1/info");
}
