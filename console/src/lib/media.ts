import { useSyncExternalStore } from 'react';

/** Phones: 600 px and less. */
const phone = '(max-width: 600px)';

function subscribe(listener: () => void): () => void {
  const query = matchMedia(phone);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export const usePhone = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(phone).matches);
