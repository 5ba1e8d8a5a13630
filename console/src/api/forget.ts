import type { QueryClient } from '@tanstack/react-query';

/** What one user read must not be shown to the next one, and what broke a page must not break it again. */
export const forgetUserData = (client: QueryClient): void =>
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
