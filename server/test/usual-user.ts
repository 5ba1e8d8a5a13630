import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Nobody in particular. */
const usual = { uid: 65_534, gid: 65_534 };

/** Runs a program as somebody who may not write whatever there is, as root may, and owns `folder`. Returns what it printed. */
export function runAsUsual(folder: string, program: string): string {
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    for (const name of ['.', ...readdirSync(folder, { recursive: true })])
      chownSync(join(folder, String(name)), usual.uid, usual.gid);
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    ...(isRoot ? usual : {}),
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** A module of ours, as text of a program. */
export const moduleText = (url: string, name: string): string => JSON.stringify(new URL(name, url).href);
