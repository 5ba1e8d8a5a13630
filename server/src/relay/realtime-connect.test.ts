import { scanObject } from '@tollgate/wire';
import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
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

/** What a session comes to whose one upstream refuses, and for how long that is to rest. */
async function refused(headers: Record<string, string>, signal = new AbortController().signal) {
  const rests: (number | undefined)[] = [];
  const parts = {
    ...{ clock: new FakeClock(0), budget: { take: () => true }, log: { info: () => undefined } },
    askForSocket: async () => ({ kind: 'refused', status: 429, headers, body: Buffer.from('{}') }),
    watch: { began: () => undefined, failed: (_: Target, { coolMs }: FailureEvidence) => void rests.push(coolMs) },
  } as unknown as RelayParts;
  const targets = [{ channelId: 4, keyIndex: 0, channel, model } as unknown as Target];
  const plan = { next: () => targets.shift() } as unknown as RoutePlan;
  const call = { id: 'c', group: 'vip', model, snapshot: { options: { AutomaticDisableKeywords: '' } } } as unknown as Call;
  const fault = await connectUpstream({ parts, call, plan, limit: 3, asked, headers: {}, signal }).catch((error: Error) => error);
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
