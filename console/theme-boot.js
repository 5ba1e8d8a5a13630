// Runs before the first paint, so that neither theme nor language flashes. Mirrors lib/theme.ts; i18n/language.ts begins with
// the language that it sets: the chosen one, before a choice the first of the browser's that there is, else Chinese.
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
  const wished = [language, ...(navigator.languages ?? [])].map((tag) => tag.slice(0, 2).toLowerCase());
  document.documentElement.lang = wished.find((tag) => tag === 'en' || tag === 'zh') === 'en' ? 'en' : 'zh-CN';
})();
