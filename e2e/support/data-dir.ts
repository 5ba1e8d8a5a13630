import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

let template: string | undefined;

/** Whoever is given no database and no password of root begins with a copy of this folder from now on, not with an empty one. */
export function beginWith(folder: string): void {
  template = folder;
}

/** A folder for a gateway with this environment. */
export async function newDataDir({ DATABASE_URL, INITIAL_ROOT_PASSWORD }: Record<string, string>): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tollgate-'));
  const isEmpty = (DATABASE_URL ?? '') !== '' || INITIAL_ROOT_PASSWORD !== undefined;
  if (template !== undefined && !isEmpty) await cp(template, dataDir, { recursive: true });
  return dataDir;
}
