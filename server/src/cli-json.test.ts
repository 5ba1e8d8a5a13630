import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../test/cli-kit.ts';
import { createProgram } from './cli.ts';

/** What each command is called with; `serve` does not end by itself, and has a test of its own. */
const calls: Readonly<Record<string, readonly string[]>> = {
  migrate: ['--dry-run'],
  backup: ['--to', 'copy.db'],
  restore: ['--from', 'none.db'],
  'after-restore': [],
  move: ['--from', 'sqlite:./none', '--to', 'postgres://nobody@127.0.0.1:1/none', '--dry-run'],
  import: ['--from', 'none.db'],
  doctor: ['ledger'],
  'receipts verify': [],
  'audit verify': [],
  'config export': [],
  'config plan': ['wanted.yaml'],
  'config apply': ['wanted.yaml'],
  'user list': [],
  'user create': ['some-body'],
  'user disable': ['nobody'],
  'user enable': ['nobody'],
  'user promote': ['nobody'],
  'user demote': ['nobody'],
  'user reset-password': ['nobody'],
  'user reset-second-factor': ['nobody'],
  'session list': [],
  'session kill': ['--user', 'nobody'],
  'token list': [],
  'token create': ['--user', 'nobody', '--name', 'a'],
  'token disable': ['7'],
  'token enable': ['7'],
  'keys rotate': [],
};

function pathsOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((child) => pathsOf(child, [...path, child.name()]));
}

test('every command has a call in this table, and prints one JSON document and nothing else', async () => {
  const world = { env: {}, clock: { nowMs: () => 0, monotonicMs: () => 0 }, out: () => undefined, err: () => undefined };
  const paths = pathsOf(createProgram(world as never, async () => undefined)).filter((path) => path !== 'serve');
  expect(paths.toSorted()).toEqual(Object.keys(calls).toSorted());
  const folder = newFolder();
  writeFileSync(join(folder, 'wanted.yaml'), 'version: 1\n');
  const env = { DATA_DIR: join(folder, 'data') };
  expect(await runCommand(env, 'migrate', '--json')).toMatchObject({ exitCode: 0 });
  for (const path of paths) {
    const args = [...path.split(' '), ...(calls[path] ?? [])].map((word) =>
      /\.(db|yaml)$/.test(word) ? join(folder, word) : word,
    );
    const { out, err } = await runCommand(env, ...args, '--json');
    expect(() => JSON.parse(out), `${path}: ${out}`).not.toThrow();
    expect([out.trimEnd().split('\n').length, err], path).toEqual([1, '']);
  }
});

test('what cannot be understood is told as JSON as well', async () => {
  for (const args of [
    ['dance'],
    ['user', 'reset-password'],
    ['config', 'export', '--secrets', 'plain'],
    ['user', 'list', '--nonsense'],
  ]) {
    const { out, err, exitCode } = await runCommand({ DATA_DIR: newFolder() }, ...args, '--json');
    expect([exitCode, err, Object.keys(JSON.parse(out))], String(args)).toEqual([2, '', ['error']]);
  }
});
