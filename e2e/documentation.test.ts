import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../server/test/cli-kit.ts';
import { startWorld, type World } from './conformance/world.ts';
import { documents, type Shown, shownIn } from './documents/collect.ts';
import { plain, rowOf, rows, runnerOf } from './documents/commands.ts';
import { type Ran, runScripts } from './documents/scripts.ts';
import { signIn } from './support/console-client.ts';
import { onPostgres } from './support/engine.ts';
import { findProgram } from './support/find-program.ts';

const root = path.resolve(import.meta.dirname, '..');
const shown = documents(root).flatMap((file) => shownIn(root, file));
const placeOf = ({ file, line, text }: Shown): string => `${file}:${line} ${text.split('\n')[0]}`;
const commands = shown.filter(({ language }) => language === 'sh');
const scripts = shown.filter(({ language }) => language === 'js');
/** What may stay without a runner; each of them is printed with its reason. */
const unrunAtMost = 3;
const alicePassword = 'correct-horse-battery';
const commandTimeoutMs = 60_000;

/** Each different text once, with the first place that shows it. */
function once(list: readonly Shown[]): Shown[] {
  return [...Map.groupBy(list, ({ text }) => plain(text)).values()].flatMap(([first]) => first ?? []);
}
const by = (...runners: readonly string[]): Shown[] =>
  once(commands)
    .filter(({ text, reason }) => reason === undefined && runners.includes(runnerOf(text)?.by ?? ''))
    .toSorted((a, b) => rowOf(a.text) - rowOf(b.text));

let world: World;
let folder: string;
let stopped: string;
let tokenId: number;
let ran: readonly Ran[];

/** The text with the placeholders of a reader replaced by what stands here. */
function filledIn(text: string): string {
  return text
    .replaceAll(/(https?|ws):\/\/localhost:3000/g, (_, scheme: string) => `${scheme}://${new URL(world.gateway.url).host}`)
    .replaceAll('sk-...', world.key)
    .replaceAll(/<file>|\bFILE\b/g, path.join(folder, 'file'))
    .replace(/ NAME$/, ' alice')
    .replace('sqlite:./data', `sqlite:${stopped}`)
    .replace(/(token (?:disable|enable)) 7$/, `$1 ${tokenId}`);
}

function shell(command: string, env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: root, timeout: commandTimeoutMs, env: { ...process.env, CURL_HOME: folder, ...env } };
    execFile('/bin/sh', ['-ec', command], options, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(`${command}\n${out}${err}`)),
    );
  });
}

async function commandLine(text: string, env: Record<string, string>, exitCodes: readonly number[] = [0]) {
  const result = await runCommand({ PATH: process.env.PATH, ...env }, ...filledIn(plain(text)).split(' ').slice(1));
  expect(exitCodes, `${result.out}${result.err}`).toContain(result.exitCode);
}

beforeAll(async () => {
  world = await startWorld();
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-documents-'));
  stopped = path.join(folder, 'stopped');
  mkdirSync(stopped);
  cpSync(path.join(world.gateway.dataDir, 'secret.key'), path.join(stopped, 'secret.key'));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, '.curlrc'), 'silent\nshow-error\nfail-with-body\n');
  await world.root.call('POST', '/api/user/', { username: 'alice', password: alicePassword });
  await signIn(world.gateway.url, 'alice', alicePassword);
  tokenId = (await world.root.addToken({ name: 'to switch off' })).id;
  ran = await runScripts(
    folder,
    once(scripts).map(({ text }) => filledIn(text)),
  );
}, 120_000);
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('every block and every command of the documents has somebody who runs or reads it', () => {
  const readers = new Set(['sh', 'js', 'json', 'yaml', 'text']);
  const nobody = shown.filter(({ language, text, reason }) =>
    language === 'sh' ? reason === undefined && runnerOf(text) === undefined : !readers.has(language),
  );
  expect(nobody.map(placeOf)).toEqual([]);
  expect(commands.length).toBeGreaterThan(50);
});

test('every row of the table is of a command that the documents show', () => {
  const used = new Set(commands.map(({ text }) => rowOf(text)));
  expect(rows.filter((_, index) => !used.has(index)).map(({ command }) => command.source)).toEqual([]);
});

test('what is not run is little, and says why', () => {
  const unrun = once(commands).flatMap((one) => {
    const runner = runnerOf(one.text);
    const reason = one.reason ?? (runner?.by === 'nobody' ? runner.reason : undefined);
    return reason === undefined ? [] : [`not run: ${placeOf(one)}: ${reason}`];
  });
  for (const line of unrun) console.log(line);
  expect(unrun.length).toBeLessThanOrEqual(unrunAtMost);
});

test('a command that has a test of its own has it', () => {
  for (const one of by('test')) {
    const runner = runnerOf(one.text);
    if (runner?.by !== 'test') throw new Error('filtered');
    expect(readFileSync(path.join(root, runner.file), 'utf8'), placeOf(one)).toContain(runner.holds);
  }
});

test('a page of the manual shows the same code in both languages', () => {
  const codeOf = (language: string) =>
    shown
      .filter(({ file }) => file.startsWith(`docs/manual/${language}/`))
      .map(({ file, language: kind, text }) => `${path.basename(file)} ${kind} ${text}`);
  expect(codeOf('zh')).toEqual(codeOf('en'));
  expect(codeOf('zh').length).toBeGreaterThan(20);
});

test('the pictures of the manual are those that it shows, the same in both languages, and small', () => {
  const folder = path.join(root, 'docs/manual');
  const namedIn = (language: string): string[] =>
    readdirSync(path.join(folder, language)).flatMap((file) => {
      const text = readFileSync(path.join(folder, language, file), 'utf8');
      return [...text.matchAll(/\.\.\/images\/([\w-]+)-(\w+)\.webp/g)].map(([, name, of]) => `${name} ${of === language}`);
    });
  expect(namedIn('zh')).toEqual(namedIn('en'));
  const names = new Set(namedIn('zh'));
  const pictures = readdirSync(path.join(folder, 'images'));
  expect(pictures.length).toBe(2 * names.size);
  expect([...names].filter((name) => !name.endsWith(' true'))).toEqual([]);
  const bytes = pictures.reduce((sum, file) => sum + statSync(path.join(folder, 'images', file)).size, 0);
  expect(bytes).toBeLessThan(1_500_000);
});

test('what is shown as JSON is JSON', () => {
  for (const one of shown.filter(({ language }) => language === 'json'))
    expect(() => JSON.parse(one.text), placeOf(one)).not.toThrow();
});

test('what is shown as YAML is read by the test of the configuration', () => {
  const places = shown.filter(({ language }) => language === 'yaml').map(({ file }) => file);
  expect(places).toEqual(['docs/operations.md']);
  expect(readFileSync(path.join(root, 'e2e/config.test.ts'), 'utf8')).toContain("blockOf('yaml')");
});

test.skipIf(findProgram('curl') === undefined).each(by('shell').map((one) => [placeOf(one), one] as const))(
  '%s',
  async (_place, one) => {
    expect(await shell(filledIn(one.text))).not.toBe('');
  },
);

test.each(by('tollgate').map((one) => [placeOf(one), one] as const))('%s', async (_place, one) => {
  const runner = runnerOf(one.text);
  if (runner?.by !== 'tollgate') throw new Error('filtered');
  await commandLine(one.text, { DATA_DIR: runner.on === 'running' ? world.gateway.dataDir : stopped }, runner.exitCodes);
});

describe('scripts', () => {
  test.each(once(scripts).map((one, index) => [placeOf(one), index] as const))('%s', (_place, index) => {
    expect(ran[index]?.fault).toBe('');
    expect(ran[index]?.printed).not.toMatch(/^$|^false$|undefined|\[object Object\]/m);
  });
});

onPostgres((_engine, _open, kit) => {
  test('the commands that move to PostgreSQL, save it and bring it back', async () => {
    const from = (await kit.place()).url ?? '';
    for (const { text } of by('postgres')) {
      const empty = (await kit.place({ isEmpty: true })).url ?? '';
      if (text.startsWith('pg_')) await shell(filledIn(text), { DATABASE_URL: text.startsWith('pg_restore') ? empty : from });
      else await commandLine(text.replace(/postgres:\S+/, empty), { DATA_DIR: stopped });
    }
  });
});
