import { resolve } from 'node:path';
import type { Env } from '../env.ts';
import type { Clock } from '../platform/clock.ts';
import { databasePath } from '../storage/backup.ts';

/** What a command found, for people and for programs. */
export interface Outcome {
  /** 1 = it found something that is not as it should be; 2 = what it was given cannot be used. */
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
  /** What `--json` prints. */
  readonly json: unknown;
}

/** What the commands have of the world. */
export interface CliWorld {
  readonly env: Record<string, string | undefined>;
  readonly clock: Clock;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Says which database it was: a wrong environment leads to one that works as well. `json` must be an object. */
export function placed(env: Pick<Env, 'DATABASE_URL' | 'DATA_DIR'>, outcome: Outcome): Outcome {
  const database = placeOf(env);
  const json = { ...(outcome.json as object), database };
  return { ...outcome, text: `${outcome.text}\nDatabase: ${database}`, json };
}

/** Without user, password and options. */
function placeOf({ DATABASE_URL, DATA_DIR }: Pick<Env, 'DATABASE_URL' | 'DATA_DIR'>): string {
  if (DATABASE_URL === undefined) return resolve(databasePath(DATA_DIR));
  const url = URL.parse(DATABASE_URL);
  return url === null ? 'that of DATABASE_URL' : `${url.protocol}//${url.host}${url.pathname}`;
}

export function noUser(username: string): Outcome {
  return { exitCode: 1, text: `There is no user ${username}.`, json: { error: 'user not found' } };
}

/** The arguments cannot be understood: exit code 2. */
export class UsageError extends Error {}
