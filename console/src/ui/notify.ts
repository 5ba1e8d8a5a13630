import { ApiError, textOf } from '../api/errors.ts';
import { createStore } from '../lib/store.ts';

export type NoticeTone = 'ok' | 'bad' | 'warn' | 'info';
export interface Notice {
  id: number;
  tone: NoticeTone;
  text: string;
  /** Shown small, with a copy button. */
  requestId?: string;
  action?: { label: string; run(): void };
}

/** Waiting for the toaster, which loads with the first notice. Bounded: the oldest go first. */
export const notices = createStore<readonly Notice[]>([]);
const maxNotices = 20;
let lastId = 0;

export function notify(tone: NoticeTone, text: string, more: Pick<Notice, 'requestId' | 'action'> = {}): void {
  lastId += 1;
  notices.set([...notices.get(), { id: lastId, tone, text, ...more }].slice(-maxNotices));
}

/** The toast of a failed call: what `tell` makes of its reason, and the request id. A 401 says nothing: it leads to the login page. */
export const notifyErrorAs =
  (tell: (reason: string, error: unknown) => string) =>
  (error: unknown): void => {
    if (error instanceof ApiError && error.status === 401) return;
    notify('bad', tell(textOf(error), error), { requestId: error instanceof ApiError ? error.requestId : undefined });
  };

/** The same in the server's words alone. */
export const notifyError = notifyErrorAs((reason) => reason);
