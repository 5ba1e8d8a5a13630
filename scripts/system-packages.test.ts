import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemPackages } from './system-packages.ts';

test('the pipeline installs every package that a suite needs: it refuses a run in which something was skipped', () => {
  const pipeline = readFileSync(path.join(import.meta.dirname, '../.ci/run'), 'utf8');
  const installed = [...pipeline.matchAll(/missing\+=\((.+)\)/g)].map(([, name]) => name);
  expect(installed.toSorted()).toEqual(systemPackages.map(({ debian }) => debian).toSorted());
});
