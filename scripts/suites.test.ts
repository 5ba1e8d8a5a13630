import { expect, test } from 'vitest';
import { inTurn } from './suites.ts';

const workspaces = ['check', 'scripts', 'wire', 'server', 'console', 'bench', 'e2e'];

test('what measures is alone, and what is patient runs beside the soak, the quickest refusals first', () => {
  const steps = inTurn(workspaces).map(({ suite: { workspace, project }, beside }) => ({
    suite: project === undefined ? workspace : `${workspace}: ${project}`,
    beside: beside.map((each) => each.workspace),
  }));
  expect(steps).toEqual([
    { suite: 'bench: soak', beside: ['check', 'scripts', 'wire', 'console'] },
    { suite: 'server', beside: [] },
    { suite: 'bench: bench', beside: [] },
    { suite: 'e2e', beside: [] },
  ]);
});

test('each suite is run once, and one by one where there is no soak', () => {
  const all = inTurn(workspaces).flatMap(({ suite, beside }) => [suite, ...beside]);
  expect([...new Set(all.map(({ workspace }) => workspace))].toSorted()).toEqual(workspaces.toSorted());
  expect(inTurn(['wire', 'server']).map(({ suite }) => suite)).toEqual([{ workspace: 'wire' }, { workspace: 'server' }]);
});
