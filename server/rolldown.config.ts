import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'rolldown';

const source = path.join(import.meta.dirname, 'src');
/** What is started by its file: the server itself, what is loaded before it, and what runs in threads of its own. */
const entries = ['main.ts', 'otel.ts', 'storage/sqlite/worker.ts', 'billing/works.ts', 'platform/tokenizer-worker.ts'].map(
  path.normalize,
);
const nameOf = (file: string): string => file.replace(/\.ts$/, '').replaceAll(path.sep, '-');

/**
 * The parts of the build before stay, those of the one before that go: a server that runs while its folder is built anew (an update beside
 * the unit) loads some of its own only now, at their first use.
 */
export function keepBuildBefore(folder: string, made: readonly string[]): void {
  const list = path.join(folder, 'files.json');
  const there = readdirSync(folder);
  const before = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as string[]) : there;
  writeFileSync(list, JSON.stringify(made));
  // The same build once more is not another one.
  if (made.every((name) => before.includes(name))) return;
  const kept = new Set([...made, ...before, path.basename(list)]);
  for (const name of there) if (!kept.has(name)) rmSync(path.join(folder, name), { recursive: true });
}

/** The server in a few files: finding and compiling more than a thousand takes longer than all else at its start. */
export default defineConfig({
  input: Object.fromEntries(entries.map((entry) => [nameOf(entry), path.join(source, entry)])),
  platform: 'node',
  // Native code stays where npm put it; the last three are optional parts that their libraries look for.
  external: ['better-sqlite3', '@node-rs/argon2', 'pg-native', 'bufferutil', 'utf-8-validate'],
  plugins: [
    {
      name: 'files-of-threads',
      transform: {
        filter: { code: /new URL\('[^']+\.ts', import\.meta\.url\)/ },
        handler(code, id) {
          return code.replace(/new URL\('([^']+\.ts)', import\.meta\.url\)/g, (_, file: string) => {
            const entry = path.relative(source, path.resolve(path.dirname(id), file));
            if (!entries.includes(entry)) throw new Error(`${entry} is started by its file, hence one of the entries`);
            return `new URL('./${nameOf(entry)}.js', import.meta.url)`;
          });
        },
      },
    },
    {
      name: 'build-before',
      writeBundle: ({ dir = 'dist' }, made) => keepBuildBefore(dir, Object.keys(made)),
    },
  ],
  // Flat, and as deep as the sources: what is found beside a file in `src` is found beside its product.
  output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
});
