import type { Dashboard, DashboardModel, UsageTotals } from '@tollgate/contract';

/** A day of a busy site, the same at every run. */

const hour = 3600;
const points = 24;
const end = 1_795_190_399;
const start = end + 1 - points * hour;
const names = [
  ['claude-sonnet-4-5', 920],
  ['gpt-4o', 610],
  ['gemini-2.5-pro', 480],
  ['gpt-4o-mini', 260],
  ['deepseek-v3.2', 170],
  ['qwen3-max', 120],
  ['o4-mini', 90],
  ['text-embedding-3-large', 25],
  ['glm-4.6', 18],
] as const;

/** Quiet nights, two peaks a day, a little noise. */
function load(point: number, seed: number): number {
  const time = point % 24;
  const wave = Math.max(0.06, Math.sin(((time - 6) / 18) * Math.PI)) + (time > 13 && time < 18 ? 0.4 : 0);
  return wave * (0.75 + ((point * 7919 + seed * 104_729) % 53) / 100);
}

function sum(series: readonly UsageTotals[]): UsageTotals {
  return series.reduce(
    (total, point) => ({
      calls: total.calls + point.calls,
      errors: total.errors + point.errors,
      quota: total.quota + point.quota,
      tokens: total.tokens + point.tokens,
    }),
    { calls: 0, errors: 0, quota: 0, tokens: 0 },
  );
}

const durations = (p50: number, samples: number) => ({ samples, p50, p90: Math.round(p50 * 2.6), p99: p50 * 7 });

const models: DashboardModel[] = names.map(([model_name, weight], rank) => {
  const series = Array.from({ length: points }, (_, point) => {
    const calls = Math.round((load(point, rank) * weight) / 6);
    return { calls, errors: Math.round(calls * 0.004 * (rank % 3)), quota: calls * (9000 - rank * 700), tokens: calls * 1830 };
  });
  const totals = sum(series);
  return {
    model_name,
    ...totals,
    series,
    latency: durations(900 + rank * 370, totals.calls),
    first_token: rank === 7 ? durations(0, 0) : durations(310 + rank * 60, totals.calls),
    cached: rank === 7 ? null : 0.34 - rank * 0.03,
  };
});
const totals = sum(models);
const users = ['alice', 'bob-research', '数据组', 'nightly-batch', 'chen.wei', 'support-bot', 'qa'];

export const dashboard: Dashboard = {
  start,
  end,
  buckets: Array.from({ length: points }, (_, point) => start + point * hour),
  totals: {
    ...totals,
    prompt_tokens: Math.round(totals.tokens * 0.7),
    cached_tokens: Math.round(totals.tokens * 0.2),
    streams: Math.round(totals.calls * 0.8),
    latency: durations(1530, totals.calls),
    first_token: durations(420, totals.calls),
    cached: 0.287,
  },
  rpm: totals.calls / 1440,
  tpm: totals.tokens / 1440,
  models,
  users: users.map((username, rank) => ({
    user_id: rank + 2,
    username,
    calls: Math.round(totals.calls * 0.4 * 0.6 ** rank),
    errors: rank,
    quota: Math.round(totals.quota * 0.4 * 0.6 ** rank),
    tokens: Math.round(totals.tokens * 0.4 * 0.6 ** rank),
  })),
  tokens: [],
  channels: [
    { id: 3, name: 'anthropic-main', status: 1, open_breakers: 0, ...sum(models.slice(0, 1)) },
    { id: 1, name: 'openai-eu', status: 1, open_breakers: 2, ...sum(models.slice(1, 2)), errors: 190 },
    { id: 8, name: 'vertex', status: 3, open_breakers: 0, ...sum(models.slice(2, 3)), errors: 1400 },
    { id: 11, name: '', status: 0, open_breakers: 0, ...sum(models.slice(3, 4)) },
    { id: 0, name: '', status: 0, open_breakers: 0, calls: 0, errors: 37, quota: 0, tokens: 0 },
  ],
  unsummed: 0,
  read_at: end - 1800,
  refresh_seconds: 300,
};

/** What one user sees of it. */
export const ownDashboard: Dashboard = {
  ...dashboard,
  users: [],
  tokens: ['生产环境', 'codex', 'notebook', ''].map((token_name, rank) => ({
    token_name,
    calls: Math.round(totals.calls * 0.6 * 0.4 ** rank),
    errors: rank,
    quota: Math.round(totals.quota * 0.6 * 0.4 ** rank),
    tokens: Math.round(totals.tokens * 0.6 * 0.4 ** rank),
  })),
  channels: [],
};

export const emptyDashboard: Dashboard = {
  ...ownDashboard,
  totals: {
    ...{ calls: 0, errors: 0, quota: 0, tokens: 0, prompt_tokens: 0, cached_tokens: 0, streams: 0, cached: null },
    latency: durations(0, 0),
    first_token: durations(0, 0),
  },
  ...{ rpm: 0, tpm: 0, models: [] },
};
