import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';

/** Reads the whole ledger: asked on request; large books take their time. */
const timeoutMs = 300_000;
export const proofQuery = queryOptions({
  queryKey: ['ledger', 'proof'],
  queryFn: ({ signal }) => call(routes.ledger.proof, { signal, timeoutMs }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
});

/** What is known without reading the ledger. */
export const stateQuery = queryOptions({
  queryKey: ['ledger', 'state'],
  queryFn: ({ signal }) => call(routes.ledger.state, { signal }),
});

export const sourcesQuery = queryOptions({
  queryKey: ['ledger', 'sources'],
  queryFn: ({ signal }) => call(routes.ledger.sources, { signal, timeoutMs }),
});
