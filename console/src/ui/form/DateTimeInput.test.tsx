import { fireEvent, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { DateTimeInput } from './DateTimeInput.tsx';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** What the field becomes when its picker says `chosen`. */
function pick(type: string, value: string, chosen: string): unknown {
  const onChange = vi.fn();
  const { container, unmount } = render(<DateTimeInput control={{}} value={value} onChange={onChange} />);
  const picker = container.querySelector(`input[type=${type}]`) as HTMLInputElement;
  fireEvent.change(picker, { target: { value: chosen } });
  unmount();
  return onChange.mock.calls[0]?.[0];
}

it('takes day and time from the picker', () => {
  expect(pick('datetime-local', '', '2026-03-04T05:06:07')).toBe('2026-03-04 05:06:07');
  expect(pick('datetime-local', '2026-01-02 03:04:05', '2026-03-04T05:06')).toBe('2026-03-04 05:06:00');
});

it('takes the day from the picker of Firefox, and keeps the time, or begins with that of now', () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  );
  vi.useFakeTimers({ now: new Date(2026, 1, 1, 8, 9, 10), toFake: ['Date'] });
  expect(pick('date', '2026-01-02 03:04:05', '2026-03-04')).toBe('2026-03-04 03:04:05');
  expect(pick('date', '', '2026-03-04')).toBe('2026-03-04 08:09:10');
  expect(pick('date', '2026-01-02 03:04:05', '')).toBeUndefined();
});
