import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.ts';
import type { UpstreamClient } from '../../platform/http/client.ts';
import type { FailureEvidence, Target } from '../../routing/index.ts';
import { type Trial, tryOne } from './trial.ts';

const channel = {
  ...{ id: 4, type: 1, baseUrl: '', key: 'k', organization: '', other: '', autoBan: false, setting: {} },
  ...{ headerOverride: {}, statusMapping: new Map() },
};

test('the limit that an upstream of tasks has used up is waited for until it begins anew (F-19)', async () => {
  const rests: (number | undefined)[] = [];
  const send: UpstreamClient['send'] = (_request, sink) => {
    queueMicrotask(() => {
      sink.head(429, { 'x-ratelimit-reset-requests': '40s', 'x-ratelimit-remaining-requests': '0' });
      sink.data(Buffer.from('{}'));
      sink.end();
    });
    return { sent: true, abort: () => undefined, pause: () => undefined, resume: () => undefined };
  };
  const trial = {
    parts: {
      ...{ clock: new FakeClock(0), upstream: { send }, snapshot: () => ({ options: { AutomaticDisableKeywords: '' } }) },
      watch: { began: () => undefined, failed: (_: Target, { coolMs }: FailureEvidence) => void rests.push(coolMs) },
    },
    order: { platform: 'video', action: '', bytes: Buffer.from('{}'), build: () => ({ method: 'POST', path: '/v1/videos' }) },
    ...{ admitted: { isTimed: false }, attempts: [], tried: [] },
  } as unknown as Trial;
  const outcome = await tryOne(trial, { channelId: 4, keyIndex: 0, channel } as unknown as Target);
  expect([outcome.kind, rests]).toEqual(['fault', [40_000]]);
});
