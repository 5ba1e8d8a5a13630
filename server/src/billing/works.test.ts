import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const probe = `
import { registerHooks } from 'node:module';
const libraries = new Set();
registerHooks({
  load(url, context, next) {
    const library = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
    if (library !== undefined) libraries.add(library);
    return next(url, context);
  },
});
await import(process.argv[1]);
console.log(JSON.stringify([...libraries]));
`;

test('what runs in the writer’s thread loads no library, so that the thread starts at once', () => {
  const works = new URL('./works.ts', import.meta.url).href;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', probe, works], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([]);
}, 30_000);
