// The theme: auto (as in the system), light or dark. Not a module, so that it runs before the
// first paint.
(() => {
  const KEY = "respell.theme";
  const THEMES = ["auto", "light", "dark"];

  function stored() {
    try {
      const value = localStorage.getItem(KEY);
      return THEMES.includes(value) ? value : "auto";
    } catch {
      return "auto"; // storage is disabled
    }
  }

  function apply(theme) {
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (!button) return;
    button.setAttribute("aria-label", `Theme: ${theme}`);
    document.getElementById("theme-name").textContent = theme[0].toUpperCase() + theme.slice(1);
  }

  let theme = stored();
  apply(theme);
  document.addEventListener("DOMContentLoaded", () => {
    apply(theme);
    document.getElementById("theme").addEventListener("click", () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      apply(theme);
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // storage is disabled: the choice is kept until the page is closed
      }
    });
  });
})();
