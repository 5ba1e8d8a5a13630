import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tollgate } from './support/command-line.ts';
import { signIn } from './support/console-client.ts';
import { startGateway } from './support/gateway.ts';
import {
  channelRow,
  fixtureTables,
  keyOf,
  oldPassword,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from './support/import-fixture.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { ask } from './support/routing.ts';

const page = path.resolve(import.meta.dirname, '../docs/migration.md');
const balance = 5_000_001;

/** The commands that the documentation tells to run, without `npx tollgate`. */
function documentedCommands(): string[][] {
  const block = /```sh\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
  return block
    .trim()
    .split('\n')
    .map((line) => line.split(' ').slice(2));
}

test('after the documented commands an old password signs in and an old key makes a call', async () => {
  const upstream = await ofTest(startMockUpstream());
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const source = path.join(folder, 'one-api.db');
  const rows = {
    users: [
      userRow(1, { username: 'root', role: 100, quota: 7 }),
      userRow(3, { username: 'alice', quota: balance, used_quota: 20 }),
    ],
    tokens: [tokenRow(5, 3, { unlimited_quota: true })],
    channels: [channelRow(2, 1, { base_url: upstream.url, models: 'gpt-4o-mini' })],
    options: [{ key: 'ModelRatio', value: '{"gpt-4o-mini":0.075}' }],
  };
  writeSqliteFixture(source, fixtureTables['new-api'], rows, 'wal');
  const DATA_DIR = path.join(folder, 'data');
  const commands = documentedCommands();
  expect(commands).toHaveLength(4);
  for (const command of commands) {
    const args = command.map((word) => (word === './one-api.db' ? source : word));
    expect(await tollgate({ DATA_DIR }, ...args), args.join(' ')).toMatchObject({ exitCode: 0, json: { ok: true } });
  }

  const gateway = await ofTest(startGateway({ DATA_DIR }));
  const alice = await signIn(gateway.url, 'alice', oldPassword);
  expect(await alice.self()).toMatchObject({ quota: balance, used_quota: 20 });
  const again = await signIn(gateway.url, 'alice', oldPassword);
  expect(again.userId).toBe(alice.userId);
  await expect(signIn(gateway.url, 'alice', 'another-password-7')).rejects.toThrow();
  const answer = await ask(gateway, { model: 'gpt-4o-mini', key: `sk-${keyOf('token5')}` });
  expect(answer.status, answer.text).toBe(200);
  const { quota, used_quota: used } = await alice.self();
  expect([quota < balance, quota + used]).toEqual([true, balance + 20]);
  const root = await signIn(gateway.url, 'root', oldPassword);
  expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
}, 120_000);
