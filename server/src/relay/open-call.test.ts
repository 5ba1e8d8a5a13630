import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Asked } from './asked.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { OpenCall } from './open-call.ts';
import type { RelayParts } from './parts.ts';

/** What a caller who asked for a stream is written while nothing comes for 20 s. */
function writtenTo(protocol: string): string[] {
  const written: string[] = [];
  const caller = {
    ...{ gone: false, lastWriteMs: 0, onGone: () => undefined, startStream: (type = 'text/event-stream') => written.push(type) },
    write: (text: string) => written.push(text),
  } as unknown as Caller;
  const env = { STREAM_PING_SECONDS: 15, HOLD_LEASE_SECONDS: 120, HOLD_CHECKPOINT_SECONDS: 60 };
  const parts = { clock: new FakeClock(0), env } as unknown as RelayParts;
  const call = { isStream: true, snapshot: { options: {} } } as unknown as Call;
  const open = new OpenCall(parts, call, caller, { inquiry: { protocol } } as unknown as Asked, '{');
  open.tick(20_000);
  return written;
}

test('a silent stream of events is kept open by comments, which sound has no place for', () => {
  expect(writtenTo('openai-chat')).toEqual(['text/event-stream', ': PING\n\n']);
  expect(writtenTo('images')).toEqual(['text/event-stream', ': PING\n\n']);
  expect(writtenTo('speech')).toEqual([]);
});
