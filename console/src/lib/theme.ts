import { readText, writeText } from './storage.ts';
import { createStore, useStore } from './store.ts';

export type ThemeMode = 'light' | 'dark' | 'system';
const storageKey = 'theme-mode';

const isMode = (text: string): text is ThemeMode => text === 'light' || text === 'dark' || text === 'system';
const stored = readText(storageKey);
const store = createStore<ThemeMode>(isMode(stored) ? stored : 'system');

function apply(): void {
  const mode = store.get();
  const dark = mode === 'dark' || (mode === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

/** Switches the theme at once and remembers it. */
export function setTheme(mode: ThemeMode): void {
  writeText(storageKey, mode);
  store.set(mode);
  apply();
}

/** Follows the system's preference while the mode is `system`. Returns the function that stops it. */
export function followSystemTheme(): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  apply();
  query.addEventListener('change', apply);
  return () => query.removeEventListener('change', apply);
}

export const useTheme = (): ThemeMode => useStore(store);
