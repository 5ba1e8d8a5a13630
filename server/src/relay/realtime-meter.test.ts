import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { costOf, type PriceSnapshot } from '../billing/index.ts';
import { estimateTurn, nothingMetered, timed } from './realtime-meter.ts';

const minute = 60 * 48_000;

test('sound counts by its length (decision 0024), text by its bytes, each side for itself', () => {
  const sound = { heard: 48_000, spoken: 48_000, isTold: true };
  expect(estimateTurn({ ...nothingMetered(), heardSound: minute, saidSound: minute }, sound)).toMatchObject({
    ...{ prompt: 600, audioPrompt: 600, completion: 1_200, audioCompletion: 1_200 },
    source: 'estimated',
  });
  expect(estimateTurn({ ...nothingMetered(), heardText: 9, saidText: 5 }, sound)).toMatchObject({
    ...{ prompt: 3, audioPrompt: 0, completion: 2, audioCompletion: 0 },
  });
});

test('the same minute takes fewer bytes in a narrower code', () => {
  const narrow = { heard: 8_000, spoken: 8_000, isTold: true };
  expect(estimateTurn({ ...nothingMetered(), heardSound: 60 * 8_000 }, narrow)).toMatchObject({ audioPrompt: 600 });
});

test('at a price per second a turn is its sound in and out; without sound, or in an unknown format, the time it took', () => {
  /** A dollar for 1,000 seconds. */
  const price: PriceSnapshot = { ...plainPrice, kind: 'call', callPriceNano: 1_000_000, perSecond: true };
  const sound = { heard: 48_000, spoken: 8_000, isTold: true };
  const told = estimateTurn({ ...nothingMetered(), saidText: 40 }, sound);
  const cost = (seconds: number, isTold: boolean) =>
    costOf(price, timed(told, price, { ...nothingMetered(), seconds }, { ...sound, isTold }, 4_500));
  expect(cost(2.5, true)).toBe(1_250);
  expect(cost(0, true)).toBe(2_250);
  expect(cost(2.5, false)).toBe(2_250);
  expect(timed(told, plainPrice, nothingMetered(), sound, 4_500)).toBe(told);
});
