import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { within } from './within.ts';

const limitMs = 1000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('work with a limit', () => {
  test('in time it is what it came to, and no timer is left', async () => {
    await expect(within(Promise.resolve(7), limitMs, () => 0)).resolves.toBe(7);
    await expect(within(Promise.reject(new Error('no')), limitMs, () => 0)).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('at the limit, and not before, it is what was to be then, once', async () => {
    const late = vi.fn(() => 'late');
    const ended = vi.fn();
    let end = (_value: string): void => undefined;
    const work = new Promise<string>((resolve) => {
      end = resolve;
    });
    const answer = within(work, limitMs, late).then(ended);
    await vi.advanceTimersByTimeAsync(limitMs - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await answer;
    end('after all');
    await work;
    expect(ended.mock.calls).toEqual([['late']]);
    expect(late).toHaveBeenCalledTimes(1);
  });

  test('at the limit it can be a failure; that of the work, later, is heard by nobody', async () => {
    let fail = (_error: Error): void => undefined;
    const work = new Promise<void>((_, reject) => {
      fail = reject;
    });
    const answer = within(work, limitMs, () => {
      throw new Error('too late');
    });
    const judged = expect(answer).rejects.toThrow('too late');
    await vi.advanceTimersByTimeAsync(limitMs);
    await judged;
    // Unheard rejections fail a test run.
    fail(new Error('never heard'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
