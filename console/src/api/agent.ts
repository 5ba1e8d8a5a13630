import { queryOptions, useQuery } from '@tanstack/react-query';
import { midnight } from '../lib/time.ts';
import { call } from './call.ts';
import { routes } from './routes.ts';
import { useStatus } from './status.ts';

/** The caller's own agency; null for who never applied. */
export const ownAgencyQuery = queryOptions({
  queryKey: ['agent', 'self'],
  queryFn: ({ signal }) => call(routes.agentSelf.self, { query: { today: midnight(0) }, signal }),
  staleTime: 15_000,
});

/** Whether the pages of agents concern the signed-in user: an agent, or somebody who may apply. */
export function useAgentPages(signedIn: boolean): boolean {
  const status = useStatus();
  const on = signedIn && status?.agent_enabled === true;
  // Where nobody may apply, only agents have these pages.
  const closed = on && !status.agent_apply_enabled;
  const { data } = useQuery({ ...ownAgencyQuery, enabled: closed });
  return closed ? Boolean(data) : on;
}
