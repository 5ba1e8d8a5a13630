import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../server/test/cli-kit.ts';
import { startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { addServing, ask } from './support/routing.ts';
import { eventually } from './support/wait.ts';

const page = path.resolve(import.meta.dirname, '../docs/operations.md');
const section = /\n## Configuration as code\n([\s\S]*?)\n## /.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';

/** The commands that the documentation tells to run, without `npx tollgate`. */
function documentedCommands(): string[][] {
  const lines = blockOf('sh').trim().split('\n');
  return lines.map((line) => line.split(' ').slice(2));
}

test('the documented file is planned and applied beside a running gateway, which serves its channel', async () => {
  const upstream = await ofTest(startMockUpstream());
  const gateway = await ofTest(startGateway());
  const root = await gateway.root();
  await addServing(root, { name: 'old', models: 'gpt-4o', base_url: upstream.url });
  const { key } = await root.addToken();
  const env = { DATA_DIR: gateway.dataDir, MAIN_KEY: 'sk-planted-upstream-key' };
  const file = path.join(gateway.dataDir, 'tollgate.yaml');
  const run = (args: readonly string[]) => runCommand(env, ...args.map((word) => (word === 'tollgate.yaml' ? file : word)));
  const [exported, planned, applied] = documentedCommands();

  expect(await run(exported ?? [])).toMatchObject({ exitCode: 0 });
  expect(readFileSync(file, 'utf8')).toContain('name: old');
  writeFileSync(file, blockOf('yaml').replace('https://api.openai.com', upstream.url));
  expect(await run(planned ?? [])).toMatchObject({ exitCode: 1, out: expect.stringContaining('+ channel main') });
  expect((await ask(gateway, { model: 'gpt-4o-mini', key })).status).toBe(503);
  expect(await run(applied ?? [])).toMatchObject({ exitCode: 0, out: expect.stringContaining('+ channel main') });
  await eventually(async () => expect((await ask(gateway, { model: 'gpt-4o-mini', key })).status).toBe(200));
  expect(upstream.requests().at(-1)?.headers.authorization).toBe('Bearer sk-planted-upstream-key');
  expect(await run(planned ?? [])).toMatchObject({ exitCode: 0, out: expect.stringContaining('staying (--prune') });
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\nprices:[\s\S]*/, '\n'));
  expect(await run([...(applied ?? []), '--prune'])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('- channel old'),
  });
  expect((await root.call<{ name: string }[]>('GET', '/api/channel')).map(({ name }) => name)).toEqual(['main']);
  expect(gateway.output()).not.toContain('planted');
}, 60_000);
