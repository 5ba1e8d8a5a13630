import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../e2e/support/free-port.ts';
import { untilReady } from './until-ready.ts';

export interface TestPostgres {
  /** Connection string without a database name: append `/name`. */
  url: string;
  /** Dies as in a crash, is away for so long, and comes back on the same data and port. Resolves when it serves again. */
  crash(awaySeconds: number): Promise<void>;
  /** A crash, in which all that is stored is put aside for `rewind`. */
  keep(): Promise<void>;
  /** A crash, after which there is what `keep` put aside: like a standby that takes over and has got nothing since. */
  rewind(): Promise<void>;
  stop(): Promise<void>;
}

const roots = ['/usr/lib/postgresql', '/usr/local/lib/postgresql', '/opt/homebrew/opt'];

/** The directory of the newest PostgreSQL of the system, or undefined. */
export function findPostgres(): string | undefined {
  const found = roots.filter(existsSync).flatMap((root) =>
    readdirSync(root)
      .map((version) => join(root, version, 'bin'))
      .filter((bin) => existsSync(join(bin, 'initdb'))),
  );
  return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
}

/** Starts a throw-away server. It ends with `stop()`, and also when this process dies. */
export async function startPostgres(bin: string, maxConnections = 300): Promise<TestPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-pg-'));
  const data = join(directory, 'data');
  const password = join(directory, 'password');
  const owner = serverOwner();
  chmodSync(directory, 0o755);
  writeFileSync(password, 'test\n');
  if (owner.uid !== undefined) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, directory]);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'tollgate', '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8', '--no-locale', '--no-sync'],
    { ...owner, stdio: 'pipe', cwd: directory },
  );
  const port = await freePort();
  // A line is the seconds of a crash, and what happens to the files meanwhile. The shell ends the server and removes its files when its own input closes, which the kernel does even after kill -9.
  const files =
    'cd "$TOLLGATE_TEST_DIRECTORY"; case $what in keep) cp -a data kept;; rewind) rm -rf data; cp -a kept data;; esac';
  const crash = `kill -QUIT $server; wait $server; ${files}; sleep "$seconds"; "$0" "$@" & server=$!`;
  const script = `"$0" "$@" & server=$!; while read -r seconds what; do ${crash}; done; kill -INT $server; wait $server; rm -rf "$TOLLGATE_TEST_DIRECTORY"`;
  const settings = [
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    directory,
    '-h',
    '127.0.0.1',
    '-c',
    `max_connections=${maxConnections}`,
    '-c',
    'fsync=off',
  ];
  const child = spawn('/bin/sh', ['-c', script, join(bin, 'postgres'), ...settings], {
    ...owner,
    cwd: directory,
    env: { ...process.env, TOLLGATE_TEST_DIRECTORY: directory },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  await ready(child);
  const again = async (line: string): Promise<void> => {
    const served = ready(child);
    child.stdin?.write(`${line}\n`);
    await served;
  };
  return {
    url: `postgres://tollgate:test@127.0.0.1:${port}`,
    crash: (awaySeconds) => again(`${awaySeconds}`),
    keep: () => again('0 keep'),
    rewind: () => again('0 rewind'),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin?.end();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: take the system's account for it. */
function serverOwner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? {} : { uid: Number(uid), gid: Number(gid) };
}

const ready = (child: ChildProcess): Promise<void> =>
  untilReady('PostgreSQL', child, child.stderr, 'ready to accept connections');
