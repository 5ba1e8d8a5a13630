import { describe, expect, test } from 'vitest';
import { pointsOf, zoneStretches } from './time.ts';

const at = (text: string) => Date.parse(text) / 1000;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16);

describe('points of a chart', () => {
  test('are never less than 7', () => {
    const { begins, numbers } = pointsOf('hour', 'UTC', at('2026-05-01T10:00Z'), at('2026-05-01T11:59:59Z'));
    expect(begins).toHaveLength(7);
    expect(numbers.at(-1)).toBe(at('2026-05-01T11:00Z') / 3600);
    expect(pointsOf('week', 'UTC', at('2026-05-01T10:00Z'), at('2026-05-01T11:59:59Z')).begins).toHaveLength(7);
  });

  test('days begin at midnight of the zone, also when its clocks are changed', () => {
    const { begins } = pointsOf('day', 'Europe/Berlin', at('2026-03-25T12:00Z'), at('2026-04-01T12:00Z'));
    expect(begins.map(iso)).toEqual([
      '2026-03-24T23:00',
      '2026-03-25T23:00',
      '2026-03-26T23:00',
      '2026-03-27T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
      '2026-03-30T22:00',
      '2026-03-31T22:00',
    ]);
  });

  test('each day of every zone begins with its first second, also where clocks jump over midnight', () => {
    const wrong = Intl.supportedValuesOf('timeZone').flatMap((zone) => {
      const { begins, numbers, numberOf } = pointsOf('day', zone, at('2026-01-01T00:00Z'), at('2026-12-31T00:00Z'));
      const isFirst = (begin: number, number = 0) => numberOf(begin) === number && numberOf(begin - 1) === number - 1;
      return begins.filter((begin, index) => !isFirst(begin, numbers[index])).map((begin) => `${zone} ${iso(begin)}`);
    });
    expect(wrong).toEqual([]);
    const { begins } = pointsOf('day', 'America/Santiago', at('2026-09-05T12:00Z'), at('2026-09-07T12:00Z'));
    expect(begins.slice(-3).map(iso)).toEqual(['2026-09-05T04:00', '2026-09-06T04:00', '2026-09-07T03:00']);
  });

  test('weeks begin on Mondays', () => {
    const { begins } = pointsOf('week', 'Asia/Shanghai', at('2026-04-01T00:00Z'), at('2026-06-01T00:00Z'));
    for (const begin of begins) expect(new Date((begin + 8 * 3600) * 1000).getUTCDay()).toBe(1);
  });

  test('changes of clocks are found to the hour, and zones without any have one stretch', () => {
    const year = [at('2026-01-01T00:00Z'), at('2026-12-31T00:00Z')] as const;
    expect(zoneStretches('Asia/Shanghai', ...year)).toEqual([{ from: year[0], offset: 8 * 3600 }]);
    expect(zoneStretches('America/New_York', ...year).map(({ from, offset }) => [iso(from), offset / 3600])).toEqual([
      ['2026-01-01T00:00', -5],
      ['2026-03-08T07:00', -4],
      ['2026-11-01T06:00', -5],
    ]);
    expect(zoneStretches('Asia/Kolkata', ...year)).toEqual([{ from: year[0], offset: 5.5 * 3600 }]);
  });

  test('an unknown zone is refused', () => {
    expect(() => pointsOf('day', 'Nowhere/Else', 0, 86_400)).toThrow();
  });
});
