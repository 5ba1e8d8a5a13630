import type { QueryClient } from '@tanstack/react-query';
import { storedKeys, writeText } from '../lib/storage.ts';
import { getSession } from './session.ts';

/** Where this browser keeps what a user wrote to models and what they answered. */
export const conversationPlace = (userId: number | undefined): string => `playground:${userId}`;

/**
 * What one user read or wrote must not be there for the next one, and what broke a page must not break it again. Only what
 * the user wrote who is signed in from now on stays.
 */
export function forgetUserData(client: QueryClient, userId = getSession()?.id): void {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
  const own = conversationPlace(userId);
  for (const key of storedKeys()) if (key.startsWith('playground') && key !== own) writeText(key, '');
}
