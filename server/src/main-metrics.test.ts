import { readFileSync } from 'node:fs';
import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { onEachEngine } from '../test/engines.ts';
import { createMetrics } from './main-metrics.ts';
import type { Database } from './storage/database.ts';
import type { Schema } from './storage/schema.ts';

const deployed = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');
const ourNames = /\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g;
/** Added by Prometheus itself. */
const added = ['instance', 'job', 'le'];

/** What a server says after one call and one error; without `db` its database does not answer. */
async function page(db: Pick<Database, 'read'> = { read: undefined as never }): Promise<string> {
  const metrics = await createMetrics(0, '127.0.0.1');
  onTestFinished(() => metrics.close());
  metrics.watch({
    openCalls: () => 1,
    outbox: () => 0,
    behindMs: () => 0,
    db,
    openBreakers: () => 0,
    beats: () => [{ name: 'hold-sweep', everySeconds: 5, endedAt: 1 }],
  });
  metrics.meters.failed({ code: 'a', status: 500 } as never);
  metrics.meters.forgotten({ isCharged: false } as never);
  const call = { channelId: 1, model: 'm', isStream: true, cost: 1, prompt: 1, completion: 1, cached: 0 };
  metrics.meters.settled({ ...call, durationMs: 5, firstByteMs: 5 } as never);
  return (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text();
}

/** Every series that a server gives, and the labels of its own. */
async function exported(): Promise<{ names: Set<string>; labels: Set<string> }> {
  const text = await page();
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const ending of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) names.add(name + ending);
  }
  return { names, labels: new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label)) };
}

test.each(['grafana/tollgate.json', 'prometheus/rules.yaml'])(
  '%s names only series and labels that the server gives',
  async (file) => {
    const { names, labels } = await exported();
    const text = deployed(file);
    const used = new Set(text.match(ourNames));
    expect(used.size).toBeGreaterThan(5);
    expect([...used].filter((name) => !names.has(name))).toEqual([]);
    const grouped = [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    expect(grouped.filter((label) => !labels.has(label) && !added.includes(label))).toEqual([]);
  },
);

test('the table of docs/operations.md has every series of our own, and no other', async () => {
  const told = [
    ...readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8').matchAll(/^\| `(tollgate_\w+)` \|/gm),
  ];
  const given = [...(await page()).matchAll(/^# TYPE (tollgate_\w+) /gm)];
  const names = (found: readonly RegExpExecArray[]) => found.map(([, name]) => name).toSorted();
  expect(names(told)).toEqual(names(given));
});

test('figures of a database that does not answer are left out, and not told as none', async () => {
  const samples = (await page()).split('\n').filter((line) => /^tollgate_(open_calls|holds|task_holds) /.test(line));
  expect(samples).toEqual(['tollgate_open_calls 1']);
});

test('a database that hangs leaves them out, too, before Prometheus gives the page up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  class Hanging extends DummyDriver {
    override acquireConnection(): Promise<never> {
      asked += 1;
      return new Promise(() => undefined);
    }
  }
  const read = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Hanging(),
      createIntrospector: () => undefined as never,
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const given = page({ read });
  await expect.poll(() => asked).toBeGreaterThan(2);
  vi.advanceTimersByTime(9_000);
  expect(await given).toMatch(/^tollgate_open_calls 1$/m);
  expect(await given).not.toMatch(/^tollgate_(holds|task_holds|unproven_receipts_age_seconds) /m);
});

onEachEngine((_engine, open) => {
  test('holds of calls and of tasks are told apart: only those of calls are for a sweep to close', async () => {
    const db = await open();
    const hold = { user_id: 1, token_id: 1, amount: 1, floor_cost: 0, checkpoint_cost: 0, dispatched: 0, node: 'n' } as const;
    const holds = ['', 'task', 'task'].map((keeper, index) => ({ ...hold, id: `h${index}`, keeper }));
    const rows = holds.map((each) => ({ ...each, lease_until: 1, created_at: 1, context: '' }));
    await db.transaction(({ query }) => query.insertInto('hold').values(rows).execute());
    const samples = (await page(db)).split('\n').filter((line) => /^tollgate_(task_)?holds /.test(line));
    expect(samples).toEqual(['tollgate_holds 1', 'tollgate_task_holds 2']);
  });
});

test('codes that an upstream makes up are bounded: in number, and each in its length', async () => {
  const metrics = await createMetrics(0, '127.0.0.1');
  onTestFinished(() => metrics.close());
  for (let call = 0; call < 2_100; call += 1) metrics.meters.failed({ code: `req_${call}`, status: 400 } as never);
  metrics.meters.failed({ code: 'x'.repeat(60_000), status: 500 } as never);
  const text = await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text();
  const series = text.split('\n').filter((line) => line.startsWith('tollgate_errors_total{'));
  expect(series).toHaveLength(2_002);
  expect(series).toContain('tollgate_errors_total{code="other",status="400"} 100');
  expect(Math.max(...series.map((line) => line.length))).toBeLessThan(200);
});

test('an alert counts charged calls as none where there was none since the start', () => {
  const { groups } = parse(deployed('prometheus/rules.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const using = groups.flatMap(({ rules }) => rules).filter(({ expr }) => expr.includes('tollgate_calls_total'));
  expect(using.map(({ alert }) => alert)).toEqual(['TollgateErrorsMany']);
  for (const { expr } of using) expect(expr).toContain('(sum(rate(tollgate_calls_total[5m])) or vector(0))');
});

test('the board is one that can be imported: every panel has a question and a place of its own', () => {
  const { panels } = JSON.parse(deployed('grafana/tollgate.json')) as {
    panels: { id: number; targets: { expr: string }[]; gridPos: { x: number; y: number } }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x}/${y}`)).size).toBe(panels.length);
  expect(panels.flatMap(({ targets }) => targets).filter(({ expr }) => expr === '')).toEqual([]);
});
