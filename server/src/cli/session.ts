import { killSessions, listSessions } from '../identity/index.ts';
import { lookedAt, written } from './database.ts';
import { type CliWorld, type Outcome, UsageError } from './outcome.ts';
import { limitOf, listed, wholeNumber } from './rows.ts';

export interface Choice {
  readonly user?: string;
  readonly limit?: string;
}

/** Who is signed in where. */
export function listSessionsCommand(world: CliWorld, { user, limit }: Choice): Promise<Outcome> {
  return lookedAt(world, async (db) => listed(await listSessions(db, { username: user, limit: limitOf(limit) })));
}

/** Signs out: one session by its id, all of a user, or everybody. */
export async function killSessionsCommand(
  world: CliWorld,
  id: string | undefined,
  { user, all = false }: { user?: string; all?: boolean },
): Promise<Outcome> {
  const given = [id, user, all || undefined].filter((each) => each !== undefined);
  if (given.length !== 1) throw new UsageError('Say one of: an id of `session list`, --user NAME, --all');
  const which = all ? 'all' : user === undefined ? { id: wholeNumber(id ?? '', 'id') } : { username: user };
  return written(world, async (parts) => {
    const ended = await killSessions(parts, which);
    const text = ended === 0 ? 'There is no such session.' : `${ended} sessions have ended.`;
    return { exitCode: ended === 0 && !all ? 1 : 0, text, json: { ended } };
  });
}
