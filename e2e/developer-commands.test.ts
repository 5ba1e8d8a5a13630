import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startFlags } from '../server/src/start-flags.ts';
import { findProgram } from './support/find-program.ts';
import { freePort } from './support/free-port.ts';
import { eventually } from './support/wait.ts';

/** Commands of the documents for who works on the program, each as it stands there. */
const root = path.resolve(import.meta.dirname, '..');
const timeoutMs = 120_000;

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-developer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a runner of tests puts into its environment is not for programs that it starts. */
const plainEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST)/.test(name)));

function run(command: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-ec', command], { cwd, timeout: timeoutMs, env: plainEnv }, (error, out, err) =>
      error === null ? resolve(stripVTControlCharacters(out)) : reject(new Error(`${command}\n${out}${err}`)),
    );
  });
}

test(
  'npm run dev serves the console and, through it, the server',
  async () => {
    const dataDir = temporary();
    const env = { ...plainEnv, PORT: String(await freePort()), HOST: '127.0.0.1', DATA_DIR: dataDir, DRAIN_SECONDS: '0' };
    const watching = spawn('npm', ['run', 'dev'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const ended = once(watching, 'exit');
    onTestFinished(async () => {
      if (watching.pid !== undefined && watching.exitCode === null) process.kill(-watching.pid, 'SIGTERM');
      await ended;
    }, timeoutMs);
    let output = '';
    for (const stream of [watching.stdout, watching.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += stripVTControlCharacters(chunk.toString());
      });
    await eventually(() => expect(output).toMatch(/Local:\s+http:\/\/localhost:\d+/), timeoutMs);
    const console_ = /Local:\s+(http:\/\/localhost:\d+)/.exec(output)?.[1] ?? '';
    await eventually(async () => {
      const status = await fetch(`${console_}/api/status`);
      expect(await status.json()).toMatchObject({ success: true });
    }, timeoutMs);
    expect(await (await fetch(console_)).text()).toContain('/src/app/main.tsx');
  },
  2 * timeoutMs,
);

test('npm run format formats', async () => {
  const folder = temporary();
  for (const name of ['package.json', 'biome.json', '.gitignore']) cpSync(path.join(root, name), path.join(folder, name));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  mkdirSync(path.join(folder, 'server'));
  writeFileSync(path.join(folder, 'server/one.ts'), 'export const  one = "1"');
  await run('npm run format', folder);
  expect(readFileSync(path.join(folder, 'server/one.ts'), 'utf8')).toBe("export const one = '1';\n");
});

test(
  'npx vitest run --root server src/billing runs these tests alone',
  async () => {
    // One file of that folder stands for all, which run beside this.
    const said = await run('npx vitest run --root server src/billing/price-rates', root);
    expect(said).toMatch(/Test Files\s+1 passed/);
    expect(said).toContain('src/billing/price-rates.test.ts');
  },
  timeoutMs,
);

test.skipIf(findProgram('systemd-analyze') === undefined)('systemd reads the unit of deploy/ without a complaint', async () => {
  expect(await run('systemd-analyze verify deploy/systemd/tollgate.service 2>&1', root)).toBe('');
});

test('a wrong environment ends the unit, and whatever else ends it starts it at most once in ten seconds', () => {
  const unit = readFileSync(path.join(root, 'deploy/systemd/tollgate.service'), 'utf8').split('\n');
  expect(unit).toEqual(
    expect.arrayContaining(['Restart=on-failure', 'RestartSec=10', 'RestartPreventExitStatus=2', 'RestartForceExitStatus=3']),
  );
});

test('a worker or an import that the kernel ends for lack of memory ends no other process of the unit', () => {
  const unit = readFileSync(path.join(root, 'deploy/systemd/tollgate.service'), 'utf8').split('\n');
  expect(unit).toContain('OOMPolicy=continue');
});

test('the unit leaves the server what it asks the machine for its addresses with', () => {
  const unit = readFileSync(path.join(root, 'deploy/systemd/tollgate.service'), 'utf8');
  const families = /^RestrictAddressFamilies=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
  expect(families).toEqual(expect.arrayContaining(['AF_INET', 'AF_INET6', 'AF_UNIX', 'AF_NETLINK']));
});

test('the command line beside the unit is one everywhere, and has its user, folder, settings and data', () => {
  const unit = readFileSync(path.join(root, 'deploy/systemd/tollgate.service'), 'utf8');
  const [line = ''] = /systemd-run .*$/m.exec(unit) ?? [];
  const named = (pattern: RegExp): string => pattern.exec(unit)?.[1] ?? 'nothing';
  const folder = named(/^WorkingDirectory=(.*)$/m);
  expect(line.split(' ')).toEqual(
    expect.arrayContaining([
      `User=${named(/^User=(.*)$/m)}`,
      `WorkingDirectory=${folder}`,
      `EnvironmentFile=${named(/^EnvironmentFile=(.*)$/m)}`,
      `DATA_DIR=${named(/^Environment=.*DATA_DIR=(\S+)/m)}`,
      `${folder}/node_modules/.bin/tollgate`,
    ]),
  );
  for (const file of ['docs/operations.md', 'docs/manual/en/operations.md', 'docs/manual/zh/operations.md'])
    expect(readFileSync(path.join(root, file), 'utf8')).toContain(`\`${line}\``);
});

test('an image is installed by the settings of this repository: no package runs scripts of its own', () => {
  expect(readFileSync(path.join(root, '.npmrc'), 'utf8')).toContain('ignore-scripts=true');
  const lines = readFileSync(path.join(root, 'deploy/Dockerfile'), 'utf8').split('\n');
  const [copied = -1, installed = -1] = [/^COPY .*\.npmrc /, /npm install/].map((each) =>
    lines.findIndex((line) => each.test(line)),
  );
  expect(copied).toBeGreaterThan(-1);
  expect(installed).toBeGreaterThan(copied);
});

test.each(['deploy/systemd/tollgate.service', 'deploy/Dockerfile'])(
  '%s starts the server with the flags of npm start',
  (file) => {
    const words = readFileSync(path.join(root, file), 'utf8').replaceAll(/[",]/g, '');
    expect(words).toContain(`node ${startFlags.join(' ')} server/dist/main.js`);
  },
);
