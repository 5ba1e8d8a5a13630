import { expect, it } from 'vitest';
import { usableCores } from './machine.ts';
import { full, quick, readOptions, UsageError } from './options.ts';

it('reads the command line', () => {
  expect(readOptions([])).toEqual(full);
  expect(readOptions(['--quick'])).toEqual(quick);
  expect(readOptions(['--rounds', '7', '--seconds', '2', '--engine', 'postgres'])).toEqual({
    ...full,
    name: 'latest-postgres',
    rounds: 7,
    windowMs: 2_000,
    engine: 'postgres',
  });
  expect(readOptions(['--streams', '5000'])).toMatchObject({ kinds: ['idle'], rounds: 1, connections: 5_000 });
  expect(readOptions(['--crowd', '1000'])).toMatchObject({
    name: 'crowd',
    kinds: ['crowd'],
    connections: 1_000,
    windowMs: 20_000,
  });
  expect(readOptions(['--coalesce', '20'])).toMatchObject({ kinds: ['stream'], coalesceMs: 20 });
  expect(readOptions(['--rate', '1000'])).toMatchObject({ kinds: ['json', 'stream'], ratePerSecond: 1_000 });
  expect(readOptions(['--users', '200'])).toMatchObject({ name: 'users', kinds: ['json'], users: 200 });
  expect(readOptions(['--against', 'HEAD~1'])).toMatchObject({
    name: 'against',
    kinds: ['json', 'json20', 'stream'],
    against: 'HEAD~1',
  });
  expect(readOptions(['--peer', '3000', '--peer-key', 'sk-1', '--peer-pid', '77'])).toMatchObject({
    ...{ name: 'peer', rounds: 3, upstreamPort: 9_100 },
    peer: { port: 3_000, key: 'sk-1', pid: 77 },
  });
  expect(readOptions(['--kinds', 'long,json20'])).toMatchObject({ kinds: ['long', 'json20'], rounds: full.rounds });
});

it.each([
  '--engine mysql',
  '--streams 0',
  '--rounds 0',
  '--seconds 1.5',
  '--fast',
  '--kinds all',
  '--against HEAD --engine postgres',
  '--peer 3000',
  '--peer 3000 --peer-key sk-1',
  '--upstream 70000',
  'extra',
])('refuses %s', (line) => {
  expect(() => readOptions(line.split(' '))).toThrow(UsageError);
});

it('uses only cores that the process may use', () => {
  expect(usableCores('Name:\tnode\nCpus_allowed_list:\t0-2,5\n')).toEqual([0, 1, 2, 5]);
  expect(usableCores('')).toEqual([]);
});
