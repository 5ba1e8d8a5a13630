import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createGrowth } from './main-heap.ts';
import { startFlags } from './start-flags.ts';

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

/** What `script` printed, in a process of its own: the room's size is said at the start. `startFlags` as `npm start` gives them. */
async function inBoundedRoom(script: string): Promise<{ first: number; again: number }> {
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const opening = `
    const { keepHeapsSmall } = await import(${at('./main-heap.ts')});
    const { fillYoungRoom, tellLastingLoad } = await import(${at('./platform/young-room.ts')});
    const { startThread } = await import(${at('./storage/sqlite/thread.ts')});
    const residentMb = () => process.memoryUsage.rss() / 2 ** 20;`;
  const flags = [...startFlags, '--expose-gc', '--input-type=module', '--eval', opening + script];
  const { stdout } = await runs(process.execPath, flags, { timeout: 20_000 });
  return JSON.parse(stdout);
}

test('a room for young objects that was filled once is in use to its end', async () => {
  const { first, again } = await inBoundedRoom(`
    const start = residentMb();
    fillYoungRoom(32);
    const filled = residentMb();
    fillYoungRoom(32);
    console.log(JSON.stringify({ first: filled - start, again: residentMb() - filled }));`);
  expect(first).toBeGreaterThan(60);
  expect(first).toBeLessThan(80);
  expect(Math.abs(again)).toBeLessThan(2);
});

test('the rooms of the threads of the database are filled when they hear of load, once', async () => {
  const { first, again } = await inBoundedRoom(`
    const thread = await startThread({ file: '', role: 'write', synchronous: 'NORMAL', worksUrl: '' });
    const told = async () => {
      const start = residentMb();
      tellLastingLoad();
      // It hears of it between two of its calls.
      for (let calls = 0; calls < 1_000 && residentMb() - start < 20; calls += 1)
        await thread.call({ op: 'query', sql: 'SELECT 1', parameters: [] });
      return residentMb() - start;
    };
    const first = await told();
    console.log(JSON.stringify({ first, again: await told() }));
    await thread.close();`);
  expect(first).toBeGreaterThan(20);
  expect(first).toBeLessThan(50);
  // Of the calls themselves.
  expect(Math.abs(again)).toBeLessThan(10);
});

test('it is filled when load has lasted for a thousand cleanings, once', async () => {
  const { first, again } = await inBoundedRoom(`
    const { setImmediate: turn } = await import('node:timers/promises');
    keepHeapsSmall();
    const cleanings = async (times) => {
      const start = residentMb();
      for (let time = 0; time < times; time += 1) {
        gc({ type: 'minor' });
        await turn();
      }
      for (let turns = 0; turns < 5; turns += 1) await turn();
      return residentMb() - start;
    };
    const early = await cleanings(900);
    const due = await cleanings(200);
    if (early > 20) throw new Error('filled too early: ' + early);
    console.log(JSON.stringify({ first: due, again: await cleanings(1_000) }));`);
  expect(first).toBeGreaterThan(50);
  expect(Math.abs(again)).toBeLessThan(10);
});
