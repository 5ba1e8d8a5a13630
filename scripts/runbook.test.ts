import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errors } from '../contract/src/errors.ts';
import { notifyEventNames, notifyEvents } from '../contract/src/notify.ts';
import { channelFields } from '../server/src/config/channel-fields.ts';
import { mapSections } from '../server/src/config/option-maps.ts';

const docs = path.join(import.meta.dirname, '../docs');
const read = (file: string): string => readFileSync(path.join(docs, file), 'utf8');

test('the runbook has one entry for each error code, and none for others', () => {
  const codes = read('runbook.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code));
  expect(codes.toSorted()).toEqual(Object.keys(errors).toSorted());
});

test('the runbook has the status and the text of each error that is told without its code', () => {
  const rows = [...read('runbook.md').matchAll(/^\| (\d{3}) \| (.+) \| `(\w+)` \|$/gm)];
  const told = rows.map(([, status, text, code = '']) => [code, Number(status), text]);
  const all = Object.entries(errors).map(([code, { status, zh }]) => [code, status, zh.replaceAll(/\{\w+\}/g, '...')]);
  expect(told.filter((row) => !all.some((each) => each.join() === row.join()))).toEqual([]);
  const relay = path.join(docs, '../server/src/relay');
  const sources = readdirSync(relay, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const thrown = sources.flatMap((file) => [...readFileSync(path.join(relay, file), 'utf8').matchAll(/codelessFault\('(\w+)'/g)]);
  // What is wrong with a key or its owner: `keyRefusal`.
  const ofKeys = ['token_expired', 'token_unavailable', 'token_exhausted_status', 'owner_banned'];
  const codeless = new Set([...thrown.map(([, code]) => code), ...ofKeys]);
  expect(told.map(([code]) => code).toSorted()).toEqual([...codeless].toSorted());
});

test('the runbook has what is said of an answer that is ended here', () => {
  const own =
    /localFault\('upstream_error', \{ reason: '([^']+)' \}|message: '([^']+)',\s+type: 'server_error',\s+param: null,\s+code: 'server_error'/g;
  const folders = ['../server/src/relay', '../wire/src/chat'].map((folder) => path.join(docs, folder));
  const sources = folders.flatMap((folder) => readdirSync(folder, { encoding: 'utf8' }).map((file) => path.join(folder, file)));
  const texts = sources
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(own)].map(([, one, other]) => one ?? other));
  expect(texts.length).toBeGreaterThan(4);
  expect(texts.filter((text) => !read('runbook.md').includes(`\`${text}\``))).toEqual([]);
});

/** Read by Node, by SQLite, by OpenTelemetry's own libraries, by what is imported from, and by programs that call. */
const foreign = [
  ...['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL', 'ANTHROPIC_MODEL'],
  ...['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'TOLLGATE_API_KEY'],
  ...['OPENAI_API_BASE', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
  'EAI_AGAIN',
  'LOG_SQL_DSN',
  ...['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'SELF_SIGNED_CERT_IN_CHAIN'],
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'SQLITE_TMPDIR',
];

test('every variable of the environment that the documentation names exists', () => {
  const known = readFileSync(path.join(docs, '../server/src/env.ts'), 'utf8');
  const named = ['../README.md', ...readdirSync(docs, { recursive: true, encoding: 'utf8' })]
    .filter((file) => file.endsWith('.md') && !file.startsWith('decisions'))
    .flatMap((file) => [...read(file).matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g)].map(([, name]) => name));
  expect([...new Set(named)].filter((name = '') => !foreign.includes(name) && !known.includes(`${name}: {`))).toEqual([]);
});

const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z]+_[a-z]+|announcement|promotion|contact)`/g)].map(([, name = '']) => name);

test('the page on notifications has each event once, and says which of them ring in quiet hours', () => {
  const lines = read('notifications.md').split('\n');
  const told = lines.filter((line) => line.startsWith('| `')).flatMap((line) => namesIn(line.split('|')[1] ?? ''));
  expect(told.toSorted()).toEqual([...notifyEventNames].toSorted());
  const [, exceptions = ''] = lines.join('\n').split('In quiet hours notifications wait, but for ');
  const urgent = notifyEventNames.filter((name) => 'urgent' in notifyEvents[name]);
  expect(namesIn(exceptions.split('\n')[0] ?? '').toSorted()).toEqual(urgent.toSorted());
});

test('the page names every limit of the console, as it is in the code', () => {
  const [, page = ''] = /^## Of the console$([\s\S]*?)^## /m.exec(read('limits.md')) ?? [];
  const code = ['api/limits.ts', 'identity/prove.ts'].map((file) => read(`../server/src/${file}`)).join('\n');
  const rules = [...code.matchAll(/limit: (\d+), windowMs: (?:(\d+) \* )?(minute|hour|day)Ms/g)];
  const wanted = rules.map(([, limit, count = '1', unit]) => `${limit} in ${count} ${unit}${count === '1' ? '' : 's'}`);
  const told = [...page.matchAll(/\d+ in \d+ (?:minute|hour|day)s?/g)].map(([words]) => words);
  expect(told.toSorted()).toEqual(wanted.toSorted());
});

test('the page on operations has every field of a configuration file, and the option that it is', () => {
  const rowOf = (section: string): string =>
    new RegExp(`^\\| \`${section}\` \\| (.*) \\|$`, 'm').exec(read('operations.md'))?.[1] ?? '';
  const [fields = ''] = rowOf('channels').split(':');
  expect([...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(['name', ...Object.keys(channelFields), 'keys']);
  for (const [section, options] of Object.entries(mapSections)) {
    const told = [...rowOf(section).matchAll(/`(\w+)` \(`(\w+)`\)/g)].map(([, field, option]) => [field, option]);
    expect(told).toEqual(Object.entries(options));
  }
});

test("the page on routing has every member of a channel's setting", () => {
  const [, section = ''] = /^## What a channel's setting .*$([\s\S]*?)^## /m.exec(read('routing.md')) ?? [];
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)]);
  const code = read('../server/src/routing/channel-setting.ts');
  const known = [...code.matchAll(/\bsetting\.(\w+)|\{ (\w+): mode \} = setting/g)].map(([, one, other]) => one ?? other);
  expect(cells.map(([, name]) => name).toSorted()).toEqual([...new Set(known)].toSorted());
});
