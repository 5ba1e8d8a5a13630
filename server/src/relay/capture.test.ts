import { describe, expect, test } from 'vitest';
import { PublicError } from '../platform/errors.ts';
import type { Caller } from './caller.ts';
import { captureOf } from './capture.ts';
import { localFault } from './faults.ts';

type Kept = Parameters<Parameters<typeof captureOf>[0]['bodyLog']['keep']>[0];

function captured(mode: string) {
  const kept: Kept[] = [];
  const options = { LogBodies: mode, LogBodySampleRate: 100, LogBodyMaxKb: 1 };
  const parts = { snapshot: () => ({ options }), random: () => 0, bodyLog: { keep: (body: Kept) => kept.push(body) } };
  const inquiry = { header: () => undefined, bytes: Buffer.from('{"model":"m"}') };
  const caller = { answer: () => undefined } as unknown as Caller;
  const capture = captureOf(parts as never, { requestId: 'r', userId: 1 }, inquiry as never, caller);
  if (capture === undefined) throw new Error('nothing is captured');
  return { capture, told: () => kept.map(({ status, response }) => [status, response.toString()]) };
}

describe('of errors alone', () => {
  test.each([
    [localFault('no_channel', { group: 'g', model: 'm' }), 503, 'no_channel'],
    [new PublicError('billing_unavailable'), 503, 'billing_unavailable'],
    [new Error('a defect'), 500, 'internal_error'],
  ])('what ended a call before its caller was told is kept as the caller is told it: %s', (error, status, code) => {
    const { capture, told } = captured('errors');
    capture.done(error);
    expect(told()).toEqual([[status, expect.stringContaining(`"code":"${code}"`)]]);
    expect(JSON.stringify(told())).not.toContain('a defect');
  });

  test('an answer is not kept', () => {
    const { capture, told } = captured('errors');
    capture.caller.answer(200, '{}');
    capture.done();
    expect(told()).toEqual([]);
  });
});

test('of all calls an answer is kept once', () => {
  const { capture, told } = captured('all');
  capture.caller.answer(200, '{"ok":1}');
  capture.done();
  capture.done();
  expect(told()).toEqual([[200, '{"ok":1}']]);
});
