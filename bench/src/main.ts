import { mkdir, writeFile } from 'node:fs/promises';
import { runBench } from './bench.ts';
import { readOptions, UsageError } from './options.ts';
import { toMarkdown } from './report.ts';
import { summarize } from './summary.ts';

const results = new URL('../results/', import.meta.url);
const usageCode = 2;

/** `npm run bench [-- --quick --engine sqlite|postgres --rounds N --seconds N --connections N --streams N --rate N]`. Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error('stopped')));
  const options = readOptions(args);
  const result = await runBench(options, (text) => console.error(text), stop.signal);
  const summary = summarize(result);
  const markdown = toMarkdown(result, summary);
  await mkdir(results, { recursive: true });
  await writeFile(new URL(`${options.name}.json`, results), `${JSON.stringify({ summary, ...result }, undefined, 2)}\n`);
  await writeFile(new URL(`${options.name}.md`, results), markdown);
  console.log(markdown);
  return summary.errors === 0 && summary.faults.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return error instanceof UsageError ? usageCode : 1;
});
