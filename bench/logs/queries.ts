import { randomSequence } from './random.ts';

/** What is asked for again and again, under one name. */
export interface Look {
  readonly name: string;
  readonly paths: readonly string[];
}

const day = 86_400;

/** Values of each filter: common, rare, absent. */
const choices = {
  type: [2, 5, 1],
  username: ['user1', 'user900', 'nobody'],
  channel: [2, 39, 99],
  token_name: ['key-8', 'key-321', 'none'],
  model_name: ['model-0', 'model-59', 'model-5%', '%none%'],
  group: ['group-1', 'nobodys'],
} as const;
type Filter = keyof typeof choices;

/** Every filter alone, every two of them together, and none, over ranges of all lengths; `runs` questions of each. */
export function combinations({ runs, end, newestId }: { runs: number; end: number; newestId: number }): Look[] {
  const random = randomSequence(7);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const ranges = [
    [0, 0],
    [0, 0],
    [end - 3_600, end + 3_600],
    [end - 7 * day, end],
    [end - 60 * day, end - 59 * day],
    [end - 89 * day, end],
  ] as const;
  const path = (filters: readonly Filter[]) => {
    const [start, until] = pick(ranges);
    const before = pick([0, 0, Math.floor(random() * newestId)]);
    const params = new URLSearchParams({ page_size: String(pick([10, 100])), before: String(before) });
    for (const filter of filters) params.set(filter, String(pick<string | number>(choices[filter])));
    params.set('start_timestamp', String(start));
    params.set('end_timestamp', String(until));
    return params.toString();
  };
  const names = Object.keys(choices) as Filter[];
  const pairs = names.flatMap((left, index) => names.slice(index + 1).map((right) => [left, right]));
  return [[], ...names.map((name) => [name]), ...pairs].map((filters) => ({
    name: filters.join(' + ') || 'no filter',
    paths: Array.from({ length: runs }, () => path(filters)),
  }));
}

/** Each question is another one to the server, which keeps its answers. */
export function dashboards({ runs, end }: { runs: number; end: number }): Look[] {
  const views: [string, string, number, string][] = [
    ['a day by hours', 'hour', 1, ''],
    ['30 days by hours', 'hour', 29, ''],
    ['90 days by days', 'day', 89, ''],
    ['90 days by weeks', 'week', 89, ''],
    ['90 days of a channel', 'day', 89, 'channel=3'],
    ['90 days of the busiest user', 'day', 89, 'username=user1'],
    ['30 days of some models', 'day', 29, 'model_name=%25model-1%25'],
  ];
  return views.map(([name, granularity, days, filter]) => ({
    name,
    paths: Array.from({ length: runs }, (_, run) => {
      const start = end - days * day - run * 3_600;
      return `granularity=${granularity}&time_zone=Asia/Shanghai&start_timestamp=${start}&end_timestamp=${end - run * 3_600}&${filter}`;
    }),
  }));
}
