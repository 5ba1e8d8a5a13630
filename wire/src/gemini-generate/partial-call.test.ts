import { expect, test } from 'vitest';
import { foldEvents } from '../chat/fold.ts';
import { CallAssembly } from './partial-call.ts';
import { createDecoder } from './stream.ts';

const assembled = (...calls: object[]) => {
  const assembly = new CallAssembly();
  return calls.flatMap((call) => assembly.take({ ...call }, undefined)).map(({ call }) => call);
};
const piece = (jsonPath: string, value: object, more: object = {}) => ({
  partialArgs: [{ jsonPath, ...value, ...more }],
  willContinue: true,
});

test('a call whose arguments come in pieces is one call', () => {
  expect(
    assembled(
      { name: 'book', id: 'c1', willContinue: true },
      piece('$.city', { stringValue: 'New ' }, { willContinue: true }),
      piece('$.city', { stringValue: 'Delhi' }),
      piece('$.days', { numberValue: 3 }),
      piece('$.guests[0].name', { stringValue: 'A' }),
      piece('$.guests[1].name', { stringValue: 'B' }),
      piece("$['odd key'].deep", { boolValue: false }),
      piece('$.nothing', { nullValue: 'NULL_VALUE' }),
      {},
    ),
  ).toEqual([
    {
      ...{ name: 'book', id: 'c1' },
      args: { city: 'New Delhi', days: 3, guests: [{ name: 'A' }, { name: 'B' }], 'odd key': { deep: false }, nothing: null },
    },
  ]);
});

test('calls that come whole pass, also behind one that was open', () => {
  const whole = { name: 'b', args: { x: 1 } };
  expect(assembled(whole)).toEqual([whole]);
  expect(assembled({ name: 'a', willContinue: true }, piece('$.y', { numberValue: 2 }), whole)).toEqual([
    { name: 'a', args: { y: 2 } },
    whole,
  ]);
  expect(assembled({}, piece('$.y', { numberValue: 2 }))).toEqual([]);
});

test('no path reaches beyond the arguments, and none makes it throw', () => {
  const odd = [
    '$.__proto__.polluted',
    '$.constructor.prototype.polluted',
    '',
    '$',
    'x',
    '$..a',
    '$[*]',
    '$[99999999]',
    '$.a[50000]',
    `$${'.a'.repeat(100)}`,
  ];
  const [call] = assembled({ name: 'a', willContinue: true }, ...odd.map((path) => piece(path, { stringValue: 'v' })), {});
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
  expect(() => JSON.stringify(call)).not.toThrow();
});

test('a stream of pieces is a call of the answer; one that is cut has no arguments and no end', () => {
  const chunk = (functionCall: object, more: object = {}) => ({
    event: '',
    data: JSON.stringify({ candidates: [{ content: { parts: [{ functionCall }] }, ...more }], responseId: 'r' }),
  });
  const begun = [chunk({ name: 'get_weather', willContinue: true }), chunk(piece('$.city', { stringValue: 'Paris' }))];
  const read = (frames: ReturnType<typeof chunk>[]) => {
    const decoder = createDecoder();
    const events = frames.flatMap((frame) => decoder.push(frame));
    return foldEvents([...events, ...decoder.end()]);
  };
  for (const frames of [
    [...begun, chunk({}, { finishReason: 'STOP' })],
    [...begun, chunk(piece('$.days', { numberValue: 1 }), { finishReason: 'STOP' })],
  ])
    expect(read(frames).answers).toMatchObject([
      { parts: [{ kind: 'tool-call', name: 'get_weather' }], finish: { reason: 'tool-calls' } },
    ]);
  expect(read([...begun, chunk({}, { finishReason: 'STOP' })]).answers[0]?.parts).toMatchObject([
    { arguments: '{"city":"Paris"}' },
  ]);
  const [cut] = read(begun).answers;
  expect([cut?.parts, cut?.finish]).toMatchObject([[{ arguments: '' }], undefined]);
});
