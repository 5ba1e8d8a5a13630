// Runs before the first paint, so that neither theme nor language flashes. Mirrors lib/theme.ts and i18n/language.ts.
(() => {
  let mode = 'system';
  let language = '';
  try {
    mode = localStorage.getItem('theme-mode') || mode;
    language = localStorage.getItem('i18nextLng') || '';
  } catch {
    // Storage may be blocked; the defaults hold.
  }
  const dark = mode === 'dark' || (mode !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.documentElement.lang = language === 'en' ? 'en' : 'zh-CN';
})();
