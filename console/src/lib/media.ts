import { useSyncExternalStore } from 'react';

function mediaHook(query: string): () => boolean {
  const subscribe = (listener: () => void) => {
    const media = matchMedia(query);
    media.addEventListener('change', listener);
    return () => media.removeEventListener('change', listener);
  };
  const isMatching = () => matchMedia(query).matches;
  return () => useSyncExternalStore(subscribe, isMatching);
}

export const usePhone = mediaHook('(max-width: 600px)');
/** Tablets and small windows: a list's filters and actions have no room beside its title. */
export const useNarrow = mediaHook('(max-width: 1100px)');
