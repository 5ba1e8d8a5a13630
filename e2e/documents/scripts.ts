import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const timeoutMs = 60_000;

/** What a script printed, and what went wrong. */
export interface Ran {
  readonly printed: string;
  readonly fault: string;
}

/** Loads one script after the other, so that their libraries are read once, and hears what each of them prints. */
const loader = `
import { format } from 'node:util';
let lines = [];
console.log = (...words) => void lines.push(format(...words));
for (const file of process.argv.slice(2)) {
  lines = [];
  const late = setTimeout(() => { process.stderr.write(file + ' does not end\\n'); process.exit(1); }, 20_000);
  const fault = await import(file).then(() => '', (error) => String(error?.stack ?? error));
  clearTimeout(late);
  process.stdout.write(JSON.stringify({ printed: lines.join('\\n'), fault }) + '\\n');
}
process.exit(0);
`;

/** Runs scripts as Node runs them, in a folder below the repository's libraries; in the order in which they are given. */
export async function runScripts(folder: string, scripts: readonly string[]): Promise<Ran[]> {
  const files = scripts.map((_, index) => path.join(folder, `script-${index}.mjs`));
  await Promise.all(files.map((file, index) => writeFile(file, scripts[index] ?? '')));
  const main = path.join(folder, 'loader.mjs');
  await writeFile(main, loader);
  const args = [main, ...files.map((file) => pathToFileURL(file).href)];
  const out = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, timeout: timeoutMs, env: { ...process.env, TMPDIR: tmpdir() } },
      (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(`${stderr}\n${stdout}`))),
    );
  });
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Ran);
}
