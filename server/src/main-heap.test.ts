import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createGrowth } from './main-heap.ts';

const runs = promisify(execFile);

test('a heap that is collected often may grow further, until it is collected seldom again', () => {
  const told: number[] = [];
  const noteCollection = createGrowth((percent) => void told.push(percent));
  const at = (...seconds: number[]) => {
    for (const second of seconds) noteCollection(second * 1000);
    return told.splice(0);
  };
  // A start, then streams.
  expect(at(0, 1, 60, 120, 180)).toEqual([]);
  // Bodies.
  expect(at(200, 200.2)).toEqual([]);
  expect(at(200.4)).toEqual([200]);
  expect(at(200.8, 201)).toEqual([]);
  expect(at(230)).toEqual([50]);
});

test('a room for young objects that was filled once is in use to its end', async () => {
  const { href } = new URL('./main-heap.ts', import.meta.url);
  const script = `
    const { fillYoungRoom } = await import(${JSON.stringify(href)});
    const residentMb = () => process.memoryUsage.rss() / 2 ** 20;
    const start = residentMb();
    fillYoungRoom(32);
    const filled = residentMb();
    fillYoungRoom(32);
    console.log(JSON.stringify({ first: filled - start, again: residentMb() - filled }));`;
  // In a process of its own, since the room's size is said at the start.
  const flags = ['--min-semi-space-size=32', '--max-semi-space-size=32', '--minor-gc-task-trigger=100'];
  const { stdout } = await runs(process.execPath, [...flags, '--input-type=module', '--eval', script], { timeout: 20_000 });
  const { first, again } = JSON.parse(stdout) as { first: number; again: number };
  expect(first).toBeGreaterThan(60);
  expect(first).toBeLessThan(80);
  expect(Math.abs(again)).toBeLessThan(10);
});
