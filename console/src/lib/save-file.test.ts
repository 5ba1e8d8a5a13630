import { afterEach, expect, test, vi } from 'vitest';
import { saveTextFile } from './save-file.ts';

afterEach(() => void vi.useRealTimers());

test('a file is there until the browser has surely fetched it, and not for ever', () => {
  vi.useFakeTimers();
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x');
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
  const revoke = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  saveTextFile('codes.txt', 'a');
  expect(click.mock.contexts[0]).toMatchObject({ href: 'blob:x', download: 'codes.txt' });
  vi.advanceTimersByTime(30_000);
  expect(revoke).not.toHaveBeenCalled();
  vi.advanceTimersByTime(30_000);
  expect(revoke).toHaveBeenCalledExactlyOnceWith('blob:x');
});
