import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { findProgram, isExecutable } from '../e2e/support/find-program.ts';
import { runChild } from './launch/children.mjs';

const aptTimeoutMs = 15 * 60_000;

interface SystemPackage {
  /** Debian's name. */
  readonly debian: string;
  readonly neededFor: string;
  readonly isPresent: () => boolean;
}

/** What the suites use of the system. A suite whose package is missing counts its tests as skipped. */
export const systemPackages: readonly SystemPackage[] = [
  {
    debian: 'chromium',
    neededFor: 'browser tests',
    isPresent: () => onPath('chromium', 'chromium-browser', 'google-chrome'),
  },
  {
    debian: 'postgresql',
    neededFor: 'storage and ledger tests on PostgreSQL',
    isPresent: () => onPath('postgres') || hasDebianPostgres(),
  },
  { debian: 'redis-server', neededFor: 'tests with several nodes', isPresent: () => onPath('redis-server') },
  { debian: 'mariadb-server', neededFor: 'imports from MySQL', isPresent: () => onPath('mariadbd') },
  { debian: 'curl', neededFor: 'the calls that the documents show', isPresent: () => onPath('curl') },
  { debian: 'nginx-light', neededFor: 'rolling restarts and the bench', isPresent: () => onPath('nginx') },
  { debian: 'caddy', neededFor: 'the example for Caddy', isPresent: () => onPath('caddy') },
];

/** Installs missing packages where that is possible (root on Debian); otherwise says what to install. */
export async function installMissing(): Promise<void> {
  const missing = systemPackages.filter((each) => !each.isPresent());
  if (missing.length === 0) return;
  const names = missing.map((each) => each.debian);
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    console.error(`Installing from the distribution: ${names.join(' ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runChild('apt-get', ['-qq', 'update'], { env, timeoutMs: aptTimeoutMs });
    await runChild('apt-get', ['-qq', '-y', 'install', '--no-install-recommends', ...names], { env, timeoutMs: aptTimeoutMs });
  }
  for (const each of missing.filter((one) => !one.isPresent())) {
    console.error(
      `Missing: ${each.debian} (${each.neededFor}; those count as skipped). Install it: apt-get install ${each.debian}`,
    );
  }
}

const onPath = (...names: readonly string[]): boolean => findProgram(...names) !== undefined;

/** Debian keeps the server's programs off PATH. */
function hasDebianPostgres(): boolean {
  const base = '/usr/lib/postgresql';
  return existsSync(base) && readdirSync(base).some((version) => isExecutable(path.join(base, version, 'bin', 'postgres')));
}
