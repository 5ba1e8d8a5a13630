import fc from 'fast-check';
import { expect, test } from 'vitest';
import { midjourney, midjourneyPlus } from './midjourney.ts';
import { suno } from './suno.ts';
import { videos } from './videos.ts';

const apis = [midjourney, midjourneyPlus, suno, videos('/v1')];

/** JSON that looks like an answer, with anything in its members. */
const odd = fc.oneof(
  fc.jsonValue(),
  fc.record({
    code: fc.jsonValue(),
    result: fc.jsonValue(),
    properties: fc.jsonValue(),
    data: fc.jsonValue(),
    id: fc.jsonValue(),
  }),
  fc.array(
    fc.record({
      id: fc.jsonValue(),
      status: fc.jsonValue(),
      progress: fc.jsonValue(),
      imageUrl: fc.jsonValue(),
      buttons: fc.jsonValue(),
    }),
  ),
  fc.record({
    code: fc.constant('success'),
    data: fc.array(fc.record({ task_id: fc.jsonValue(), status: fc.jsonValue(), data: fc.jsonValue() })),
  }),
);

test('no answer breaks a reader, and nothing is accepted without a name', () => {
  fc.assert(
    fc.property(odd, fc.constantFrom(...apis), (answer, api) => {
      const reading = api.readSubmit(answer, 'IMAGINE');
      if (reading.kind === 'accepted') expect(reading.upstreamId !== '' || reading.task?.status === 'SUCCESS').toBe(true);
      for (const [id, task] of api.readPoll(answer)) {
        expect(id).not.toBe('');
        if (task.progress !== undefined) expect(task.progress).toBeGreaterThanOrEqual(0);
      }
      expect(api.readError(500, answer).message).not.toBe('');
    }),
    { numRuns: 3_000 },
  );
});

test('what cannot become a number is none', () => {
  const stubborn = { toString: '' };
  for (const api of apis) {
    expect(api.readSubmit({ code: stubborn, result: 'x' }, 'IMAGINE').kind).toBe('refused');
    expect(() =>
      api.readPoll([{ id: '1', status: 'SUCCESS', submitTime: stubborn, buttons: [{ type: stubborn }] }]),
    ).not.toThrow();
  }
});

test('a picture’s address is one of the web or none', () => {
  const imageUrlOf = (imageUrl: unknown) => {
    const [, task] = midjourney.readPoll([{ id: '1', status: 'SUCCESS', imageUrl }])[0] ?? [];
    return (JSON.parse(task?.data ?? '{}') as { imageUrl?: string }).imageUrl;
  };
  expect(imageUrlOf('https://cdn.example.com/a.png')).toBe('https://cdn.example.com/a.png');
  for (const bad of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    '//x/y',
    5,
    null,
    `https://x/${'a'.repeat(9_000)}`,
  ])
    expect(imageUrlOf(bad)).toBe('');
});

test('a reason to fail is a failure, whatever the status beside it says, but success', () => {
  const status = (fields: object) => midjourney.readPoll([{ id: '1', ...fields }])[0]?.[1].status;
  expect(status({ status: 'IN_PROGRESS', failReason: 'banned' })).toBe('FAILURE');
  expect(status({ status: 'SUCCESS', failReason: 'late note' })).toBe('SUCCESS');
  expect(status({ status: 'DANCING' })).toBe('UNKNOWN');
});

test('each code of the drawing protocol is read for what it means', () => {
  const read = (code: number) => midjourney.readSubmit({ code, description: 'd', result: '9' }, 'IMAGINE');
  for (const code of [1, 21, 22]) expect(read(code)).toMatchObject({ kind: 'accepted', upstreamId: '9', code });
  for (const code of [3, 23, 30]) expect(read(code)).toMatchObject({ kind: 'refused', code, elsewhere: true });
  for (const code of [4, 5, 24, 99]) expect(read(code)).toMatchObject({ kind: 'refused', code, elsewhere: false });
  expect(read(3)).toMatchObject({ unusable: 'No available account instance' });
});

test('what was taken without a name is no success to anybody', () => {
  for (const code of [1, 21, 22])
    expect(midjourney.readSubmit({ code, description: 'ok' }, 'IMAGINE')).toMatchObject({
      ...{ kind: 'refused', code: 5, elsewhere: false },
      error: { message: 'the answer names no task', code: '5' },
    });
  expect(suno.readSubmit({ code: 'success', message: 'ok', data: null }, 'MUSIC')).toMatchObject({
    ...{ kind: 'refused', elsewhere: false },
    error: { message: 'the answer names no task', code: 'bad_response' },
  });
});

test('modes are paths where the upstream knows them', () => {
  const asked = { path: '/submit/imagine', mode: 'fast', action: 'IMAGINE' };
  expect([midjourney.submitPath(asked), midjourneyPlus.submitPath(asked)]).toEqual([
    '/mj/submit/imagine',
    '/mj-fast/mj/submit/imagine',
  ]);
});
