import { type LoginUser, role, type User } from '@tollgate/contract';
import { useRef } from 'react';
import { isRecord } from '../lib/json.ts';
import { readJson, writeJson, writeText } from '../lib/storage.ts';
import { createStore, useStore } from '../lib/store.ts';

/** What the browser remembers of the signed-in user. The server never trusts it. */
export type Session = Pick<LoginUser, 'id' | 'username' | 'display_name' | 'role' | 'status' | 'group' | 'must_change_password'>;

const storageKey = 'user';
const isSession = (value: unknown): value is Session =>
  isRecord(value) && typeof value.id === 'number' && typeof value.username === 'string' && typeof value.role === 'number';
const store = createStore(readJson(storageKey, isSession));
/** Who was signed in here last, also after the end of that session. */
let lastId = store.get()?.id;

/** What is asked before this user ends the session; false keeps it. Afterwards nothing could be saved any more. */
export const signOutGuards = new Set<() => Promise<boolean>>();

export const getSession = (): Session | undefined => store.get();

export function storeSession(user: Session): void {
  const { id, username, display_name, role: userRole, status, group, must_change_password } = user;
  const session = { id, username, display_name, role: userRole, status, group, must_change_password };
  writeJson(storageKey, session);
  lastId = id;
  store.set(session);
}

/** What the server says of who is signed in: another device or an administrator may have changed it since the sign-in. */
export function updateSession({ id, username, display_name, group }: User): void {
  const session = store.get();
  const next = { ...session, username, display_name, group };
  if (session?.id === id && JSON.stringify(next) !== JSON.stringify(session)) storeSession({ ...session, ...next });
}

export function clearSession(): void {
  writeText(storageKey, '');
  store.set(undefined);
}

/**
 * Follows sign-in and sign-out in other windows; `changed` is told of each, and whether it is who was here before. Returns the
 * function that stops it.
 */
export function followOtherWindows(changed: (isBack: boolean) => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== storageKey && event.key !== null) return;
    const session = readJson(storageKey, isSession);
    const isBack = session?.id === lastId;
    lastId = session?.id ?? lastId;
    store.set(session);
    changed(isBack);
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

export const useSession = (): Session | undefined => useStore(store);

/** The same, and after its end as it was: what stands on a page stays there while it is asked whether it may be lost. */
export function useLastSession(): Session | undefined {
  const session = useSession();
  const last = useRef(session);
  last.current = session ?? last.current;
  return last.current;
}

export const isAdmin = (session: Session | undefined): boolean => (session?.role ?? 0) >= role.admin;
export const isRoot = (session: Session | undefined): boolean => session?.role === role.root;
