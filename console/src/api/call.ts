import { languageTag } from '../i18n/language.ts';
import { type Call, type ClientDeps, createCall } from './client.ts';
import { clearSession, getSession } from './session.ts';

const timeoutMs = 30_000;
const expiredListeners = new Set<() => void>();

/** Registers what happens when the session has ended. Returns the function that takes it back. */
export function onSessionExpired(listener: () => void): () => void {
  expiredListeners.add(listener);
  return () => expiredListeners.delete(listener);
}

/** What the calls are made with; for those that are no envelope. */
export const clientDeps: ClientDeps = {
  fetch: (url, init) => fetch(url, init),
  userId: () => getSession()?.id ?? -1,
  languageTag,
  timeoutMs,
  onUnauthorized() {
    clearSession();
    for (const listener of expiredListeners) listener();
  },
};

/** The console's client. The one place that knows the browser's fetch and the stored session. */
export const call: Call = createCall(clientDeps);
