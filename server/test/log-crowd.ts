/** One row of a made-up log, in the order of `crowdColumns`. */
export type CrowdRow = readonly (string | number)[];

export { logColumns as crowdColumns } from '../src/usage/log/columns.ts';

const crowd = { users: 2_000, models: 60, channels: 40, groups: 6 } as const;
const daySeconds = 86_400;
const consume = 2;

/**
 * The log of a busy installation over `days` before `end` (unix seconds): few users and models make most of the calls,
 * nights are quiet, some calls fail, and now and then a row is written later than its neighbours. The same arguments
 * give the same rows. Texts are as long as real ones.
 */
export function* crowdRows(count: number, { end, days }: { end: number; days: number }): Generator<CrowdRow> {
  const random = generator(20_251_121);
  const start = end - days * daySeconds;
  for (let index = 0; index < count; index += 1) yield rowAt(start + timeOf(index / count, days), index, random);
}

/** Days with a quiet third. */
function timeOf(share: number, days: number): number {
  const day = Math.floor(share * days);
  const within = share * days - day;
  return Math.floor((day + within - Math.sin(2 * Math.PI * within) / 8) * daySeconds);
}

function rowAt(at: number, index: number, random: () => number): CrowdRow {
  const user = 1 + skewed(random, crowd.users, 2.2);
  const token = user * 4 + skewed(random, 4, 3);
  const model = skewed(random, crowd.models, 2.5);
  const channel = 1 + ((model * 7 + skewed(random, 4, 2)) % crowd.channels);
  const kind = random();
  const type = kind < 0.03 ? 5 : kind < 0.0315 ? 4 : kind < 0.032 ? 1 : consume;
  const prompt = 50 + skewed(random, 8_000, 3);
  const completion = type === consume ? 20 + skewed(random, 2_000, 2) : 0;
  const quota = type === consume ? Math.ceil((prompt + completion * 4) * (0.25 + (model % 8) / 4)) : 0;
  // One in a thousand was settled from the outbox, hours later than it was given an id.
  const created = random() < 0.001 ? at - Math.floor(random() * 7_200) : at;
  const frt = 200 + skewed(random, 8_000, 3);
  const id = `${new Date(created * 1000).toISOString().replaceAll(/\D/g, '').slice(0, 14)}${String(index).padStart(9, '0')}seedrows`;
  return [
    ...[
      created,
      type,
      user,
      `user${user}`,
      token,
      `key-${token % 400}`,
      `model-${model}`,
      channel,
      `group-${user % crowd.groups}`,
    ],
    ...[quota, 0, prompt, completion, Math.round(frt / 400), index % 3 === 0 ? 0 : 1],
    ...[
      contentOf(type, model),
      otherOf(type, channel, frt),
      id,
      `10.0.${user % 250}.${token % 250}`,
      type === consume ? receipt : '',
    ],
  ];
}

function contentOf(type: number, model: number): string {
  if (type === 5) return 'upstream_error: the upstream did not answer in time';
  return `模型倍率 ${(0.25 + (model % 8) / 4).toFixed(2)}，补全倍率 4.00，分组倍率 1.00`;
}

function otherOf(type: number, channel: number, frt: number): string {
  const route = `"route":{"v":812,"s":123456789,"l":3,"c":[["default",[[${channel},0,0],[${channel + 1},0,0]]]],"a":[[${channel},0,200,${frt + 900},${frt}]]}`;
  const admin = `"admin_info":{"use_channel":["${channel}"],${route}}`;
  if (type === 5) return `{"error_code":"upstream_timeout","status":504,${admin}}`;
  return `{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"model_price":-1,"cache_ratio":0.5,"cache_tokens":0,"frt":${frt},"usage_source":"upstream",${admin}}`;
}

const receipt = JSON.stringify({
  v: 1,
  request_id: '20251121000000000000000seedrows',
  price: { kind: 'token', model: 'model-1', group: 'default', modelRatioNano: 1_250_000_000, completionRatioNano: 4_000_000_000 },
  usage: { prompt: 100, completion: 50, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream' },
  cost: 375,
  hmac: 'a'.repeat(64),
});

/** Below `count`, small numbers far more often. */
function skewed(random: () => number, count: number, power: number): number {
  return Math.floor(random() ** power * count);
}

/** A small generator with a known sequence (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
