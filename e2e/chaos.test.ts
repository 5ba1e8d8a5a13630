import type { ChannelHealth, ChannelTimelineEntry, PageOf } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { freePort } from './support/free-port.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockScript, type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { addServing, ask } from './support/routing.ts';
import { sideBySide } from './support/side-by-side.ts';
import { eventually } from './support/wait.ts';

/** The ways in which an upstream dies (F-12 to F-19). */
const deaths: [string, MockScript | 'refused'][] = [
  ['refused connections', 'refused'],
  ['resets', { fault: 'reset' }],
  ['no head', { fault: 'hang' }],
  ['no body', { fault: 'hang-after-headers' }],
  ['500', { status: 500 }],
  ['503 with Retry-After', { status: 503, retryAfter: '2' }],
  ['429', { status: 429, retryAfter: '2' }],
  ['401', { status: 401 }],
  ['an error in a 200', { errorIn200: true }],
  ['a page instead of an answer', { body: '<html>sign in</html>', contentType: 'text/html', status: 200 }],
];
const calls = 500;
const parallel = 20;
/** How soon a channel that is well again must have calls (the breaker's window). */
const windowMs = 30_000;

let good: MockUpstream[];
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  good = [await startMockUpstream(), await startMockUpstream()];
  // Those that are well live in this process, and are late when it is busy.
  const patienceMs = '1500';
  const env = {
    UPSTREAM_FIRST_BYTE_TIMEOUT_MS: patienceMs,
    UPSTREAM_IDLE_TIMEOUT_MS: patienceMs,
    UPSTREAM_CONNECT_TIMEOUT_MS: patienceMs,
  };
  gateway = await startGateway(env);
  root = await gateway.root();
  key = (await root.addToken()).key;
  await root.setOption('ModelPrice', Object.fromEntries(deaths.map((_, index) => [`chaos-${index}`, 0.002])));
});
afterAll(async () => {
  await gateway.stop();
  for (const upstream of good) await upstream.close();
});

/** Conversations of their own, `parallel` at a time; returns how many got a whole answer. */
async function load(model: string, count: number): Promise<number> {
  let whole = 0;
  await sideBySide([...Array(count).keys()], parallel, async (index) => {
    const stream = index % 2 === 1;
    const { status, text } = await ask(gateway, { model, key, words: `conversation ${index + 1}`, stream });
    if (status === 200 && (stream ? text.trimEnd().endsWith('[DONE]') : text.includes('Hello'))) whole += 1;
  });
  return whole;
}

describe('one of three channels is dead', () => {
  test.each(deaths.map(([name, death], index) => ({ name, death, model: `chaos-${index}` })))(
    '$name: calls succeed, it is probed and not hammered, and it is back soon after it is well',
    async ({ death, model }) => {
      const dead = await startMockUpstream({ port: death === 'refused' ? await freePort() : 0 });
      let sick = await addServing(root, { base_url: dead.url, models: model, key: 'upstream-key-sick' });
      if (death === 'refused') await dead.close();
      else dead.script(() => death);
      for (const upstream of good) await addServing(root, { base_url: upstream.url, models: model, key: 'upstream-key-good' });
      const before = good.reduce((sum, upstream) => sum + upstream.requests().length, 0);
      expect(await load(model, calls)).toBeGreaterThanOrEqual(calls * 0.999);
      const served = good.reduce((sum, upstream) => sum + upstream.requests().length, 0) - before;
      expect(served + dead.requests().length).toBeLessThanOrEqual(calls * 1.2);
      expect(dead.requests().length).toBeLessThanOrEqual(60);
      const { breakers } = await root.call<ChannelHealth>('GET', `/api/channel/${sick.id}/health`);
      expect(breakers.some(({ phase }) => phase !== 'closed')).toBe(true);

      const revived = death === 'refused' ? await startMockUpstream({ port: Number(new URL(dead.url).port) }) : dead;
      revived.reset();
      await eventually(async () => {
        await load(model, parallel);
        expect(revived.requests().filter(({ status }) => status === 200).length).toBeGreaterThan(1);
      }, windowMs);
      // It is written down without anybody waiting.
      await eventually(async () => {
        const { items } = await root.call<PageOf<ChannelTimelineEntry>>('GET', `/api/channel/${sick.id}/timeline`);
        expect(items.map(({ kind }) => kind)).toContain('breaker_open');
        expect(items[0]?.kind).toBe('breaker_closed');
      });
      sick = await root.call('GET', `/api/channel/${sick.id}`);
      expect(sick.status).toBe(1);
      await revived.close();
    },
  );

  test('the books are green afterwards', async () => {
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });
});
