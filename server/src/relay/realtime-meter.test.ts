import { expect, test } from 'vitest';
import { estimateTurn, nothingMetered } from './realtime-meter.ts';

const minute = 60 * 48_000;

test('sound counts by its length (decision 0024), text by its bytes, each side for itself', () => {
  const sound = { heard: 48_000, spoken: 48_000 };
  expect(estimateTurn({ ...nothingMetered(), heardSound: minute, saidSound: minute }, sound)).toMatchObject({
    ...{ prompt: 600, audioPrompt: 600, completion: 1_200, audioCompletion: 1_200 },
    source: 'estimated',
  });
  expect(estimateTurn({ ...nothingMetered(), heardText: 9, saidText: 5 }, sound)).toMatchObject({
    ...{ prompt: 3, audioPrompt: 0, completion: 2, audioCompletion: 0 },
  });
});

test('the same minute takes fewer bytes in a narrower code', () => {
  const narrow = { heard: 8_000, spoken: 8_000 };
  expect(estimateTurn({ ...nothingMetered(), heardSound: 60 * 8_000 }, narrow)).toMatchObject({ audioPrompt: 600 });
});
