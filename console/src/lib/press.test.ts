import { expect, it, onTestFinished, vi } from 'vitest';
import { afterPress } from './press.ts';

const tell = (type: string) => dispatchEvent(new Event(type));

it('what comes of leaving a field waits for the click that has begun, and for nothing otherwise', async () => {
  const done: string[] = [];
  afterPress(() => done.push('no press'));
  expect(done).toEqual(['no press']);
  tell('pointerdown');
  afterPress(() => done.push('a press'));
  tell('pointerup');
  done.push('its click');
  expect(done).toEqual(['no press', 'its click']);
  await expect.poll(() => done).toEqual(['no press', 'its click', 'a press']);
});

it('a press whose end is never told ends by itself', async () => {
  const done: string[] = [];
  tell('pointerdown');
  afterPress(() => done.push('at last'));
  expect(done).toEqual([]);
  await expect.poll(() => done, { timeout: 5000 }).toEqual(['at last']);
});

it('a press is not ended by what bounds the one before', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const done: string[] = [];
  tell('pointerdown');
  tell('pointerup');
  vi.advanceTimersByTime(950);
  tell('pointerdown');
  afterPress(() => done.push('the second'));
  vi.advanceTimersByTime(900);
  expect(done).toEqual([]);
  tell('pointerup');
  vi.advanceTimersByTime(0);
  expect(done).toEqual(['the second']);
});
