import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { findProgram } from '../../e2e/support/find-program.ts';
import { freePort } from '../../e2e/support/free-port.ts';
import { untilReady } from './until-ready.ts';

export interface TestMariadb {
  /** Of an empty database. */
  readonly url: string;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

const password = 'planted-mysql-secret';
const startTimeoutMs = 60_000;

/** Tests that need a MariaDB server; counted as skipped on a machine without one. */
export function withMariadb(body: (start: () => Promise<TestMariadb>) => void): void {
  const [program, installer] = [findProgram('mariadbd'), findProgram('mariadb-install-db')];
  describe.skipIf(program === undefined || installer === undefined)('mariadb', () => {
    body(() => startMariadb(program ?? '', installer ?? ''));
  });
}

/** Starts a throw-away server. It ends with `stop()`, and also when this process dies. */
async function startMariadb(program: string, installer: string): Promise<TestMariadb> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-mariadb-'));
  const data = join(directory, 'data');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const install = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db', ...user];
  execFileSync(installer, install, { stdio: 'pipe', timeout: startTimeoutMs });
  const first = join(directory, 'first.sql');
  // One statement a line, as the server reads it.
  const statements = [
    'CREATE DATABASE source CHARACTER SET utf8mb4;',
    `CREATE USER reader@'127.0.0.1' IDENTIFIED BY '${password}';`,
    "GRANT ALL ON source.* TO reader@'127.0.0.1';",
  ];
  writeFileSync(first, `${statements.join('\n')}\n`);
  const port = await freePort();
  const settings = [
    '--no-defaults',
    `--datadir=${data}`,
    `--init-file=${first}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(directory, 'socket')}`,
    `--pid-file=${join(directory, 'pid')}`,
    '--skip-name-resolve',
    '--innodb-buffer-pool-size=32M',
    '--innodb-flush-log-at-trx-commit=0',
    ...user,
  ];
  // The shell ends the server when its own input closes, which the kernel does even after kill -9.
  const script = '"$0" "$@" & server=$!; cat > /dev/null; kill -KILL $server; wait $server 2> /dev/null';
  const child = spawn('/bin/sh', ['-c', script, program, ...settings], { cwd: directory, stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await untilReady('MariaDB', child, child.stderr, 'ready for connections');
  return {
    url: `mysql://reader:${password}@127.0.0.1:${port}/source`,
    async stop() {
      child.stdin.end();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
