import { inspectEngine } from '../../storage/inspect.ts';
import { pendingMigrations } from '../../storage/migrate.ts';
import type { Facts } from '../facts.ts';
import type { World } from '../world.ts';

export async function gatherEngine({ db, env, clock }: World): Promise<Facts['engine']> {
  const engine = await inspectEngine(db, { dataDir: env.DATA_DIR, synchronous: env.SQLITE_SYNCHRONOUS });
  const ownNowMs = clock.nowMs();
  const pending = await pendingMigrations(db).catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('newer version')) return undefined;
    throw error;
  });
  return {
    ...engine,
    ownNowMs,
    pendingMigrations: (pending ?? []).map(({ name }) => name),
    newerThanProgram: pending === undefined,
  };
}
