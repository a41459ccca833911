// Sets the theme before the first paint. A script of its own, because modules run after it.
(() => {
  try {
    const theme = localStorage.getItem("mitt.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the theme of the system holds.
  }
})();
