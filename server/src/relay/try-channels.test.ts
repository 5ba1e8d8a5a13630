import { expect, test, vi } from 'vitest';
import type { RoutePlan } from '../routing/index.ts';
import type { Asked } from './asked.ts';
import { localFault } from './faults.ts';
import type { OpenCall } from './open-call.ts';
import type { RelayParts } from './parts.ts';
import { tryChannels } from './try-channels.ts';

/** What a call without any attempt comes to. */
async function told(gone: boolean) {
  const call = { group: 'vip', model: 'gpt-4o', backup: undefined };
  const open = { call, tried: [], caller: { gone } } as unknown as OpenCall;
  const plan = { input: { seed: 1 }, next: () => undefined } as unknown as RoutePlan;
  const fault = await tryChannels({ parts: {} as RelayParts, plan, limit: 3, open, asked: {} as Asked });
  return fault;
}

test('who left while the request was made is told of as one who left, whatever became of the request', async () => {
  const caller = { gone: false };
  const skipped = vi.fn();
  const open = { call: { group: 'vip', model: 'm', backup: undefined }, tried: [], caller, skipped } as unknown as OpenCall;
  const target = {
    get channel() {
      caller.gone = true;
      throw localFault('media_unavailable', { reason: 'given up' });
    },
  };
  const plan = { input: { seed: 1 }, next: () => target } as unknown as RoutePlan;
  const parts = { log: { info: () => undefined } } as unknown as RelayParts;
  expect(await tryChannels({ parts, plan, limit: 3, open, asked: {} as Asked })).toMatchObject({ code: 'caller_left' });
  expect(skipped).not.toHaveBeenCalled();
});

test('that there is no channel is said where there is none, and not because the caller left before one was asked', async () => {
  expect((await told(false))?.message).toContain('gpt-4o');
  expect(await told(true)).toMatchObject({ code: 'caller_left', status: 499, evidence: undefined });
});
