import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { startNameServer } from '../../../../e2e/support/stand-ins/name-server.ts';
import { createGuard, EgressRefused } from './guard.ts';
import { createLookup, type NamesParts } from './names.ts';

/** Names as a name server and a hosts file of the test's own tell them; most tests wait for answers that do not come, and do so side by side. */
async function setUp({ onTestFinished }: TestContext) {
  const [folder, server] = [await mkdtemp(join(tmpdir(), 'names-')), await startNameServer()];
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, '10.0.0.7 box.test box # ours\n::1 six.test\n# 10.0.0.8 off.test\nnonsense\n');
  let clockMs = 1_000;
  const names = (parts: NamesParts = {}) => {
    const lookup = createLookup({ servers: [server.server], hostsFile, nowMs: () => clockMs, ...parts });
    return (name: string) =>
      new Promise<string>((resolve) =>
        lookup(name, { all: true }, (error, found) =>
          resolve(error === null ? (found as { address: string }[]).map(({ address }) => address).join(' ') : (error.code ?? '')),
        ),
      );
  };
  const later = (ms: number) => {
    clockMs += ms;
  };
  const asks = (name: string) => server.asked.filter((question) => question === `A ${name}`).length;
  return { server, hostsFile, names, later, asks };
}

test.concurrent('four names that nobody answers for keep neither other names nor files waiting', async (context) => {
  const { server, hostsFile, names } = await setUp(context);
  server.names.set('well.test', { addresses: ['192.0.2.1'], ttl: 60 });
  for (const name of ['a.test', 'b.test', 'c.test', 'd.test', 'e.test']) server.silent.add(name);
  const [find, users] = [names(), names({ isForUsers: true })];
  const hanging = [...server.silent].flatMap((name) => [find(name), users(name)]);
  let givenUp = 0;
  for (const each of hanging) void each.then(() => (givenUp += 1));
  expect(await Promise.all([find('well.test'), users('well.test')])).toEqual(['192.0.2.1', '192.0.2.1']);
  await readFile(hostsFile);
  expect(givenUp).toBe(0);
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['EAI_AGAIN']));
});

test.concurrent('a name is asked for once at a time, and again when its time is over, which is at least five seconds', async (context) => {
  const { server, names, later, asks } = await setUp(context);
  server.names.set('well.test', { addresses: ['192.0.2.1', '192.0.2.2'], ttl: 0 });
  const find = names();
  expect(await Promise.all([find('well.test'), find('WELL.test.')])).toEqual(['192.0.2.1 192.0.2.2', '192.0.2.1 192.0.2.2']);
  later(4_999);
  await find('well.test');
  expect(asks('well.test')).toBe(1);
  later(1);
  server.names.set('well.test', { addresses: ['192.0.2.3'], ttl: 999_999 });
  expect(await find('well.test')).toBe('192.0.2.3');
  later(300_000);
  await find('well.test');
  expect(asks('well.test')).toBe(3);
});

test.concurrent('while no name server answers the last answer serves for ten minutes', async (context) => {
  const { server, names, later } = await setUp(context);
  server.names.set('well.test', { addresses: ['192.0.2.1'], ttl: 5 });
  const find = names();
  await find('well.test');
  server.silent.add('*');
  later(5_000);
  // One of whom nothing is known waits until nobody can be asked.
  expect(await Promise.race([find('well.test'), find('unknown.test')])).toBe('192.0.2.1');
  later(600_000);
  expect(await find('well.test')).toBe('EAI_AGAIN');
});

test.concurrent('IPv4 addresses whose question was lost are waited for, and asked for again soon: many machines reach no others', async (context) => {
  const { server, names, later, asks } = await setUp(context);
  server.names.set('both.test', { addresses: ['192.0.2.1'], ttl: 300 });
  server.sixes.set('both.test', ['2001:db8:0:0:0:0:0:1']);
  server.lost.set('A both.test', 1);
  expect(await names()('both.test')).toBe('192.0.2.1 2001:db8::1');
  expect(asks('both.test')).toBe(2);
  server.lost.set('A both.test', 2);
  const find = names();
  expect(await find('both.test')).toBe('2001:db8::1');
  later(5_000);
  expect(await find('both.test')).toBe('192.0.2.1 2001:db8::1');
});

test.concurrent('a name that is gone is not kept', async (context) => {
  const { server, names, later, asks } = await setUp(context);
  server.names.set('well.test', { addresses: ['192.0.2.1'], ttl: 5 });
  const find = names({ isForUsers: true });
  await find('well.test');
  server.names.clear();
  later(5_000);
  expect(await find('well.test')).toBe('ENOTFOUND');
  expect(await find('well.test')).toBe('ENOTFOUND');
  expect(asks('well.test')).toBe(2);
});

test.concurrent('the hosts file and localhost come first, as they are now', async (context) => {
  const { server, hostsFile, names, later } = await setUp(context);
  const find = names();
  expect(await Promise.all(['box', 'box.test', 'six.test', 'localhost', 'a.localhost'].map(find))).toEqual([
    ...['10.0.0.7', '10.0.0.7', '::1', '127.0.0.1 ::1', '127.0.0.1 ::1'],
  ]);
  expect(server.asked).toEqual([]);
  await writeFile(hostsFile, '10.0.0.9 box.test extra.test\n');
  later(5_000);
  expect(await Promise.all(['box.test', 'extra.test'].map(find))).toEqual(['10.0.0.9', '10.0.0.9']);
});

test.concurrent('users name so many at a time and no more, and none that the system alone knows', async (context) => {
  const { server, names } = await setUp(context);
  server.silent.add('*');
  const find = names({ isForUsers: true });
  const hanging = Array.from({ length: 64 }, (_, index) => find(`n${index}.test`));
  expect(await find('one-more.test')).toBe('EAI_AGAIN');
  expect(server.asked.some((question) => question.includes('one-more'))).toBe(false);
  await Promise.all(hanging);
});

test.concurrent('a kept answer is judged anew at each use', async (context) => {
  const { server, asks } = await setUp(context);
  server.names.set('well.test', { addresses: ['10.1.2.3'], ttl: 60 });
  const lookup = createLookup({ servers: [server.server], nowMs: () => 1_000 });
  const ask = (allowPrivate: readonly string[]) =>
    new Promise((resolve) => {
      const target = createGuard({ allowPrivate, rewrite: [] }, lookup).target(new URL('http://well.test'));
      target.lookup('well.test', { all: true }, (error, found) => resolve(error ?? found));
    });
  expect(await ask(['10.0.0.0/8'])).toEqual([{ address: '10.1.2.3', family: 4 }]);
  expect(await ask([])).toBeInstanceOf(EgressRefused);
  expect(asks('well.test')).toBe(1);
});
