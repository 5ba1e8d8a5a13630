import { useMutation, useQueryClient } from '@tanstack/react-query';
import { tokenStatus } from '@tollgate/contract';
import { call } from './call.ts';
import { routes } from './routes.ts';

/** Switches tokens off or deletes them, one after the other; the first refusal ends it, and what was done stays done. */
export function useTokenBatch() {
  const client = useQueryClient();
  return useMutation({
    async mutationFn({ ids, remove }: { ids: readonly number[]; remove: boolean }) {
      for (const id of ids) {
        if (remove) await call(routes.token.remove, { params: { id } });
        else await call(routes.token.update, { query: { status_only: 'true' }, body: { id, status: tokenStatus.disabled } });
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['token'] }),
  });
}
