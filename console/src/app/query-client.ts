import { QueryClient } from '@tanstack/react-query';
import { isUnanswered } from '../api/errors.ts';

const maxRetries = 1;

/** Lists stand still until somebody asks: no refetch on focus. Only faults that may pass are tried again, once. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < maxRetries && isUnanswered(error),
      },
      mutations: { retry: false },
    },
  });
}
