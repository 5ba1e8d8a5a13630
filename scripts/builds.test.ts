import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fingerprintOf } from './builds.ts';

test('a change of a source asks for a build, a change of a test or a product does not', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'tollgate-build-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  write('console/src/main.tsx', 'one');
  const first = fingerprintOf(root, ['console']);
  write('console/src/main.test.tsx', 'a test');
  write('console/dist/index.html', 'a product');
  expect(fingerprintOf(root, ['console'])).toBe(first);
  write('console/src/main.tsx', 'two');
  const second = fingerprintOf(root, ['console']);
  expect(second).not.toBe(first);
  write('console/src/more.ts', '');
  expect(fingerprintOf(root, ['console'])).not.toBe(second);
});
