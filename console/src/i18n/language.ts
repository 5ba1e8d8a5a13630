import { writeText } from '../lib/storage.ts';
import { createStore, useStore } from '../lib/store.ts';

export type Language = 'zh' | 'en';
const storageKey = 'i18nextLng';
/** theme-boot.js has chosen. */
const store = createStore<Language>(document.documentElement.lang === 'en' ? 'en' : 'zh');

export const getLanguage = (): Language => store.get();
/** BCP 47 tag for `lang`, Intl and Accept-Language. */
export const languageTag = (): string => (store.get() === 'zh' ? 'zh-CN' : 'en');

/** Switches the language at once for everything on screen and remembers it. */
export function setLanguage(language: Language): void {
  writeText(storageKey, language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  store.set(language);
}

/** Subscribes a component, and with it its children, to language switches. Pages are subscribed by their route. */
export const useLanguage = (): Language => useStore(store);

/** What the generated message functions choose with. @public */
export const pick = (zh: string, en: string): string => (store.get() === 'zh' ? zh : en);
