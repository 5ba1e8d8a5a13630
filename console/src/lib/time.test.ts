import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { defaultLogRange, formatRelative, formatTime, formatUtc, midnight, parseTime } from './time.ts';

describe('times', () => {
  it('come back from their own text', () => {
    for (const seconds of [0, 1_795_195_800, 4_102_444_799]) expect(parseTime(formatTime(seconds))).toBe(seconds);
    expect(formatTime(1_795_195_800)).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
    expect(formatUtc(0)).toBe('1970-01-01 00:00:00 UTC');
  });

  it('may leave out seconds or the whole time of day', () => {
    expect(parseTime('2026-11-20 17:16')).toBe(parseTime('2026-11-20 17:16:00'));
    expect(parseTime('2026-11-20')).toBe(parseTime('2026-11-20 00:00:00'));
  });

  it('of a day alone are its first, also where clocks are set forward at midnight', () => {
    // Of a process of its own: a thread cannot have a time zone.
    const texts = ['2026-09-06', '2026-09-06 00:30', '2026-02-30'];
    const script = `const { parseTime } = await import(process.argv[1]);
      console.log(JSON.stringify(${JSON.stringify(texts)}.map((text) => parseTime(text) ?? null)));`;
    const flags = ['--input-type=module', '--eval', script, `${import.meta.dirname}/time.ts`];
    const answer = execFileSync(process.execPath, flags, { env: { ...process.env, TZ: 'America/Santiago' } });
    expect(JSON.parse(String(answer))).toEqual([Date.UTC(2026, 8, 6, 4) / 1000, null, null]);
  });

  it('that do not exist are refused instead of rolling over', () => {
    for (const text of [
      '',
      '-1',
      'tomorrow',
      '2026-13-01 00:00:00',
      '2026-02-30 00:00:00',
      '2026-01-01 24:00:00',
      '2026-01-01 10:61',
    ]) {
      expect(parseTime(text)).toBeUndefined();
    }
  });

  it('read as distances in the language of the page', () => {
    expect(formatRelative(1000, 1000 + 7200, 'en')).toBe('2 hours ago');
    expect(formatRelative(1000 + 90_000, 1000, 'zh-CN')).toMatch(/明天/);
  });
});

it('days begin at midnight, also around one of 23 or 25 hours', () => {
  for (const [month, date] of [
    [2, 29],
    [9, 25],
  ] as const) {
    vi.setSystemTime(new Date(2026, month, date, 23, 30));
    const begins = [-29, -1, 0, 1].map((days) => new Date(2026, month, date + days).getTime() / 1000);
    expect([-29, -1, 0, 1].map(midnight)).toEqual(begins);
  }
});

it('the log opens on the last hour up to one hour from now', () => {
  const now = 1_795_195_847;
  const { from, to } = defaultLogRange(now);
  expect(from % 3600).toBe(0);
  expect(now - from).toBeGreaterThanOrEqual(3600);
  expect(now - from).toBeLessThan(7200);
  expect(to).toBe(now + 3600);
});
