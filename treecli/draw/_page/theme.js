// Light or dark: as the reader prefers, until the button says otherwise.

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById("theme").setAttribute("aria-pressed", String(theme === "dark"));
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const followPreference = () => setTheme(prefersDark.matches ? "dark" : "light");
prefersDark.addEventListener("change", followPreference);
document.getElementById("theme").addEventListener("click", () =>
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
);
followPreference();
