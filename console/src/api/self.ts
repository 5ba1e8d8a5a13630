import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { routes } from './routes.ts';
import { updateSession } from './session.ts';

/** The signed-in user with balance; the shell, the wallet and the editors share it. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  async queryFn({ signal }) {
    const self = await call(routes.account.self, { signal });
    updateSession(self);
    return self;
  },
  staleTime: 15_000,
});

/** Models the user may call, over all groups. */
export const ownModelsQuery = queryOptions({
  queryKey: ['self', 'models'],
  queryFn: async ({ signal }) => (await call(routes.account.models, { signal })) ?? [],
});

/** Groups the user may choose for a token. */
export const ownGroupsQuery = queryOptions({
  queryKey: ['self', 'groups'],
  queryFn: ({ signal }) => call(routes.account.selfGroups, { signal }),
  staleTime: 60_000,
});

export const inviteCodeQuery = queryOptions({
  queryKey: ['self', 'aff'],
  queryFn: ({ signal }) => call(routes.personal.inviteCode, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
