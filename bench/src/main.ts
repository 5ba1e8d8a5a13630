import { mkdir, writeFile } from 'node:fs/promises';
import { runBench } from './bench.ts';
import { readOptions, UsageError } from './options.ts';
import { toMarkdown } from './report.ts';
import { runSoak, soakMarkdown } from './soak.ts';
import { summarize } from './summary.ts';

const results = new URL('../results/', import.meta.url);
const usageCode = 2;

/** `npm run bench [-- --quick --engine sqlite|postgres --rounds N --seconds N --connections N --streams N --crowd N --rate N --coalesce MS --users N --soak MINUTES --kinds LIST --against REVISION --peer PORT --peer-key KEY --peer-pid PID --upstream PORT]`. Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error('stopped')));
  const options = readOptions(args);
  const measure = options.soakMinutes > 0 ? measureSoak : measureRounds;
  const { json, markdown, isSound } = await measure(options, { note: (text) => console.error(text), signal: stop.signal });
  await mkdir(results, { recursive: true });
  await writeFile(new URL(`${options.name}.json`, results), `${JSON.stringify(json, undefined, 2)}\n`);
  await writeFile(new URL(`${options.name}.md`, results), markdown);
  console.log(markdown);
  return isSound ? 0 : 1;
}

async function measureRounds(...order: Parameters<typeof runBench>) {
  const result = await runBench(...order);
  const summary = summarize(result);
  const isSound = summary.errors === 0 && summary.faults.length === 0;
  return { json: { summary, ...result }, markdown: toMarkdown(result, summary), isSound };
}

async function measureSoak(...order: Parameters<typeof runSoak>) {
  const result = await runSoak(...order);
  return { json: result, markdown: soakMarkdown(result), isSound: result.faults.length === 0 };
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return error instanceof UsageError ? usageCode : 1;
});
