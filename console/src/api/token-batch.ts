import { tokenStatus } from '@tollgate/contract';
import { call } from './call.ts';
import { routes } from './routes.ts';
import { useWrite } from './write.ts';

/** Switches tokens off or deletes them, one after the other; the first refusal ends it, and what was done stays done. */
export const useTokenBatch = () =>
  useWrite(
    async ({ ids, remove }: { ids: readonly number[]; remove: boolean }) => {
      for (const id of ids) {
        if (remove) await call(routes.token.remove, { params: { id } });
        else await call(routes.token.update, { query: { status_only: 'true' }, body: { id, status: tokenStatus.disabled } });
      }
    },
    ['token'],
  );
