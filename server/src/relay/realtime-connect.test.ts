import { scanObject } from '@tollgate/wire';
import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import { UpstreamFault } from '../platform/http/client.ts';
import type { FailureEvidence, RoutePlan, Target } from '../routing/index.ts';
import type { Asked } from './asked.ts';
import type { Call } from './call.ts';
import type { RelayParts } from './parts.ts';
import { connectUpstream } from './realtime-connect.ts';
import { surfaceOf } from './surface.ts';

const model = 'gpt-realtime';
const bytes = Buffer.from(JSON.stringify({ model }));
const scanned = scanObject(bytes);
const peek = { scan: scanned.ok ? scanned.scan : undefined, model, stream: false, wantsUsage: true, cap: undefined, n: 1 };
const inquiry = {
  protocol: 'realtime',
  surface: surfaceOf('embeddings'),
  bytes,
  peek,
  query: undefined,
  header: () => undefined,
};
const asked = { inquiry, option: () => undefined, answerContext: { created: 0 } } as unknown as Asked;
const channel = {
  ...{ id: 4, type: 1, baseUrl: '', key: 'k', organization: '', other: '', autoBan: false, setting: {}, keys: [] },
  ...{ headerOverride: {}, paramOverride: {}, modelMapping: new Map(), statusMapping: new Map() },
};

/** Asks for a session at one channel after the other; each answers with the next of these. */
function connected(answers: (() => Promise<unknown>)[], watch: object, signal = new AbortController().signal) {
  const parts = {
    ...{ clock: new FakeClock(0), budget: { take: () => true }, log: { info: () => undefined } },
    askForSocket: () => answers.shift()?.(),
    watch: { began: () => undefined, alive: () => undefined, ...watch },
  } as unknown as RelayParts;
  const targets = answers.map((_, at) => ({ channelId: 4 + at, keyIndex: 0, channel, model }) as unknown as Target);
  const plan = { next: () => targets.shift() } as unknown as RoutePlan;
  const call = { id: 'c', group: 'vip', model, snapshot: { options: { AutomaticDisableKeywords: '' } } } as unknown as Call;
  return connectUpstream({ parts, call, plan, limit: 3, asked, headers: {}, signal });
}

/** What a session comes to whose one upstream refuses, and for how long that is to rest. */
async function refused(headers: Record<string, string>, signal?: AbortSignal) {
  const rests: (number | undefined)[] = [];
  const answer = async () => ({ kind: 'refused', status: 429, headers, body: Buffer.from('{}') });
  const failed = (_: Target, { coolMs }: FailureEvidence) => void rests.push(coolMs);
  const fault = await connected([answer], { failed }, signal).catch((error: Error) => error);
  return { rests, message: fault instanceof Error ? fault.message : '' };
}

test('the limit that an upstream of sessions has used up is waited for until it begins anew (F-19)', async () => {
  expect((await refused({ 'x-ratelimit-reset-requests': '40s', 'x-ratelimit-remaining-requests': '0' })).rests).toEqual([40_000]);
  expect((await refused({ 'retry-after': '7' })).rests).toEqual([7_000]);
});

test('who left before a channel was asked is not told that there is none', async () => {
  const { rests, message } = await refused({}, AbortSignal.abort());
  expect([rests, message.includes(model)]).toEqual([[], false]);
});

test('of an upstream that could not be reached no head of an answer is on record', async () => {
  const away = () => Promise.reject(new UpstreamFault('connect', 'away'));
  const { attempts } = await connected([away, async () => ({ kind: 'opened' })], { failed: () => undefined });
  expect(attempts.map((text) => JSON.parse(text).slice(0, 5))).toEqual([
    [4, 0, 0, 0, -1],
    [5, 0, 101, 0, 0],
  ]);
});
