import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { FamilyRow } from './families/row.ts';
import { type Row, verdict } from './table.ts';
import { columns } from './world.ts';

const file = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const packages = ['openai', '@anthropic-ai/sdk', '@google/genai', 'ai', '@ai-sdk/openai', '@ai-sdk/anthropic', '@ai-sdk/google'];

/** The page of what works, as this run proved it. */
export function writeReport(rows: readonly Row[], families: readonly FamilyRow[]): string {
  const bySdk = Map.groupBy(rows, ({ sdk }) => sdk);
  const chat = [...bySdk].flatMap(([sdk, own]) => [`### ${sdk}`, '', ...tableOf(own), '']);
  return [
    '# What official clients get',
    '',
    'Written by `e2e/conformance`: each cell is a call of the official client through a gateway to an upstream that speaks the',
    "dialect of its column and refuses what that dialect's vendor refuses. Asserted are the values that the client returned, what the",
    'upstream understood, the names in `X-Tollgate-Losses`, the charge (price x what the upstream told) and the one log row, on each engine of the database.',
    '',
    'To write this page again after a change: `cd e2e && UPDATE_CONFORMANCE=1 npx vitest run conformance`.',
    '',
    '- **works**: everything arrives, in both directions.',
    '- **loss**: the call is answered; what the upstream cannot be told is named in the header and in the log row.',
    '- **refused**: the call fails with an error of the dialect, nothing is charged.',
    '',
    `Clients: ${packages.map((name) => `${name} ${versionOf(name)}`).join(', ')}.`,
    '',
    '## Conversations, by the dialect of the upstream',
    '',
    ...chat,
    '## Everything else, by the shape of the upstream',
    '',
    '| Client | Feature | Upstream | |',
    '|---|---|---|---|',
    ...families.map(({ sdk, feature, upstream }) => `| ${sdk} | ${feature} | ${upstream} | works |`),
    '',
  ].join('\n');
}

function tableOf(rows: readonly Row[]): string[] {
  const lines = rows.map((row) => `| ${row.feature} | ${columns.map((column) => verdict(row, column)).join(' | ')} |`);
  return [`| Feature | ${columns.join(' | ')} |`, `|---|${'---|'.repeat(columns.length)}`, ...lines];
}

function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    const manifest = `${folder}/${name}/package.json`;
    if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
  }
  throw new Error(`${name} is not installed`);
}

/** The committed page; undefined when there is none. With UPDATE_CONFORMANCE it is written first. */
export function committedReport(report: string): string | undefined {
  if (process.env.UPDATE_CONFORMANCE !== undefined) writeFileSync(file, report);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
