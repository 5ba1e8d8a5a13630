import type { Finding } from '../finding.ts';

interface Variable {
  readonly fallback?: string;
  readonly meaning: string;
}

/** What the README's tables are printed from: the schema of the environment, and the text of two pages that the suites wrote. */
export interface ReadmeSources {
  readonly variables: Readonly<Record<string, Variable>>;
  readonly performance: string;
  readonly conformance: string;
}

interface Table {
  readonly begin: string;
  readonly end: string;
  print(sources: ReadmeSources): string;
}

const tableOf = (name: string, from: string, print: Table['print']): Table => ({
  begin: `<!-- ${name}: printed from ${from} by \`node scripts/print-readme.ts\` -->`,
  end: `<!-- /${name} -->`,
  print,
});
const tables: readonly Table[] = [
  tableOf('conformance', 'docs/conformance.md', ({ conformance }) => conformanceTable(conformance)),
  tableOf('performance', 'docs/performance.md', ({ performance }) => performanceTable(performance)),
  tableOf('environment', 'server/src/env.ts', ({ variables }) => environmentTable(variables)),
];

function environmentTable(variables: ReadmeSources['variables']): string {
  const rows = Object.entries(variables).map(([name, { fallback, meaning }]) => {
    const shown = fallback === undefined || fallback === '' ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return ['| Name | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** What is compared, where the measurement has calls a second and CPU of it, and the line that says how many times that of nginx. */
const measured: readonly (readonly [shown: string, row: string, times: string])[] = [
  ['a call of 1 KB', 'Tollgate, metered, 1 KB, not streamed', 'CPU per call, not streamed'],
  ['a call of 20 KB', 'Tollgate, metered, 20 KB, not streamed', 'CPU per call of 20 KB'],
  ['a call of 200 KB', 'Tollgate, metered, 200 KB, not streamed', 'CPU per call of 200 KB'],
  ['a chunk of a stream', 'Tollgate, metered, stream of 50 chunks', 'CPU per streamed chunk'],
];

/** Throws when the page of the measurement has lost a row: then nobody knows what the README should say. */
function performanceTable(page: string): string {
  const find = (begin: string): string => {
    const line = page.split('\n').find((each) => each.startsWith(begin));
    if (line === undefined) throw new Error(`docs/performance.md has no line that begins with "${begin}"`);
    return line;
  };
  const rows = measured.map(([shown, row, times]) => {
    const [, calls = '', perCall = '', , perChunk = ''] = cellsOf(find(`| ${row} |`));
    const isChunk = perChunk !== '';
    const cpu = (isChunk ? perChunk : perCall).replace(/ \(.*\)/, '');
    const factor = /\*\*([\d.]+)x/.exec(find(`- ${times}:`))?.[1] ?? '';
    return `| ${shown} | ${isChunk ? '' : calls} | ${cpu} µs | ${factor} |`;
  });
  return ['| On one core | calls/s | CPU | times nginx `proxy_pass` |', '|---|--:|--:|--:|', ...rows].join('\n');
}

/** Counts the cells of each client's table by what they begin with. */
function conformanceTable(page: string): string {
  const sections = page.split(/^#{2,3} /m).slice(1);
  const rows = sections.flatMap((section) => {
    const lines = section.split('\n');
    const title = lines[0] ?? '';
    const body = lines.filter((line) => line.startsWith('|')).slice(2);
    if (body.length === 0) return [];
    const isChat = !title.startsWith('Everything else');
    const cells = body.flatMap((line) => (isChat ? cellsOf(line).slice(1) : cellsOf(line).slice(-1)));
    const count = (word: string): number => cells.filter((cell) => cell.startsWith(word)).length;
    const name = isChat ? title : 'embeddings, rerank, moderations, images, sound, realtime, models, errors';
    return [`| ${name} | ${count('works')} | ${count('loss')} | ${count('refused')} |`];
  });
  return ['| Official client | works | works, with a declared loss | refused |', '|---|--:|--:|--:|', ...rows].join('\n');
}

/** The README with each table put between its marks; undefined when a mark is missing. */
export function withTables(readme: string, sources: ReadmeSources): string | undefined {
  return tables.reduce<string | undefined>((text, { begin, end, print }) => {
    const from = text?.indexOf(begin) ?? -1;
    const to = text?.indexOf(end) ?? -1;
    if (text === undefined || from === -1 || to < from) return undefined;
    return `${text.slice(0, from + begin.length)}\n${print(sources)}\n${text.slice(to)}`;
  }, readme);
}

/** Refuses a README with a table that is not what its source says. */
export function checkReadme(readme: string, sources: ReadmeSources): Finding[] {
  if (withTables(readme, sources) === readme) return [];
  const message = 'one of its tables differs from what it is printed from: run `node scripts/print-readme.ts`';
  return [{ path: 'README.md', line: 0, message }];
}
