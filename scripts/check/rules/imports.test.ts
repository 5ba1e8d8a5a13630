import { expect, test } from 'vitest';
import type { SourceFile } from '../../source-files.ts';
import { checkCycles, checkDirection, importsOf } from './imports.ts';

const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: lines.join('\n') });
const refusals = (path: string, ...lines: string[]): string[] =>
  checkDirection([file(path, ...lines)]).map(({ line, message }) => `${line}: ${message}`);

test.each([
  ['contract/src/a.ts', "import { b } from '@tollgate/wire';"],
  ['wire/src/a.ts', "import type { b } from '@tollgate/contract';"],
  ['console/src/a.tsx', "import { b } from '../../server/src/env.ts';"],
  ['server/src/platform/a.ts', "import { b } from '../storage/open.ts';"],
  ['server/src/storage/a.ts', "import { works } from '../billing/index.ts';"],
  ['server/src/billing/a.ts', "import { b } from '../providers/registry.ts';"],
  ['server/src/providers/a.ts', "import { b } from '../billing/index.ts';"],
  ['server/src/relay/a.ts', "export { b } from '../api/app.ts';"],
  ['server/src/api/a.ts', "const b = await import('../relay/pipeline.ts');"],
  ['server/src/relay/a.ts', "import { b } from '../main.ts';"],
  ['server/src/main.ts', "import { b } from '../../e2e/support/mock-upstream.ts';"],
  ['server/src/storage/a.ts', "new Worker(new URL('../relay/worker.ts', import.meta.url));"],
])('an import against the direction is refused: %s: %s', (path, line) => {
  expect(refusals(path, '', line)).toHaveLength(1);
  expect(refusals(path, '', line)[0]).toMatch(/^2: imports .* may import /);
});

test('a domain folder is seen through its index only', () => {
  expect(refusals('server/src/identity/users.ts', "import { grant } from '../billing/accounts.ts';")[0]).toContain('index.ts');
  expect(refusals('server/src/identity/users.ts', "import { grant } from '../billing/index.ts';")).toEqual([]);
});

test("what runs in the writer's thread is seen by what runs there only", () => {
  const line = "import { usageWorks } from '../usage/works.ts';";
  for (const from of ['works.ts', 'works-apply.ts']) expect(refusals(`server/src/billing/${from}`, line)).toEqual([]);
  for (const from of ['ledger.ts', 'workshop.ts', 'my-works.ts']) {
    expect(refusals(`server/src/billing/${from}`, line)[0]).toContain('index.ts');
  }
  expect(refusals('server/src/billing/works.ts', "import { fold } from '../usage/works-fold.ts';")[0]).toContain('works.ts');
});

test('another workspace is imported by its package name', () => {
  expect(refusals('server/src/api/a.ts', "import { b } from '../../../contract/src/index.ts';")[0]).toContain('package name');
  expect(refusals('server/src/api/a.ts', "import { b } from '@tollgate/contract';")).toEqual([]);
});

test('code that ships does not import tests, tests may import anything', () => {
  expect(refusals('server/src/api/a.ts', "import { b } from '../../test/engines.ts';")[0]).toContain('tests');
  expect(refusals('server/src/identity/a.test.ts', "import { b } from '../billing/accounts.ts';")).toEqual([]);
});

test('a folder that nobody placed in the table is refused', () => {
  expect(refusals('server/src/helpers/a.ts', "import { b } from '../platform/clock.ts';")[0]).toContain('not a known area');
});

test('imports are found over several lines and not in comments', () => {
  const found = importsOf(
    file(
      'server/src/api/a.ts',
      '// import { x } from "./x.ts";',
      'import {',
      '  one,',
      '  two,',
      "} from './b.ts';",
      "import './c.ts';",
    ),
  );
  expect(found.map(({ to, line }) => `${to}:${line}`)).toEqual(['server/src/api/b.ts:2', 'server/src/api/c.ts:6']);
});

test('a cycle over three files is refused once and named whole', () => {
  const findings = checkCycles([
    file('wire/src/a.ts', "import { b } from './b.ts';"),
    file('wire/src/b.ts', "import type { c } from './c.ts';"),
    file('wire/src/c.ts', "import { a } from './a.ts';"),
    file('wire/src/d.ts', "import { a } from './a.ts';"),
  ]);
  expect(findings.map(({ message }) => message)).toEqual([
    'import cycle: wire/src/a.ts -> wire/src/b.ts -> wire/src/c.ts -> wire/src/a.ts',
  ]);
});

test('two paths to one file are no cycle', () => {
  const findings = checkCycles([
    file('wire/src/a.ts', "import { b } from './b.ts';", "import { c } from './c.ts';"),
    file('wire/src/b.ts', "import { c } from './c.ts';"),
    file('wire/src/c.ts', 'export const c = 1;'),
  ]);
  expect(findings).toEqual([]);
});
