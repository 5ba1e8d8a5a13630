import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../test/free-port.ts';
import { createMetrics } from './main-metrics.ts';

const deployed = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');
const ourNames = /\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g;
/** Added by Prometheus itself. */
const added = ['instance', 'job', 'le'];

/** Every series that a server gives, and the labels of its own. */
async function exported(): Promise<{ names: Set<string>; labels: Set<string> }> {
  const port = await freePort();
  const metrics = await createMetrics(port, '127.0.0.1');
  onTestFinished(() => metrics.close());
  metrics.watch({
    openCalls: () => 1,
    outbox: () => 0,
    db: { read: undefined as never },
    openBreakers: () => 0,
    beats: () => [{ name: 'hold-sweep', everySeconds: 5, endedAt: 1 }],
  });
  metrics.meters.failed({ code: 'a', status: 500 } as never);
  const call = { channelId: 1, model: 'm', isStream: true, cost: 1, prompt: 1, completion: 1, cached: 0 };
  metrics.meters.settled({ ...call, durationMs: 5, firstByteMs: 5 } as never);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
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

test('the board is one that can be imported: every panel has a question and a place of its own', () => {
  const { panels } = JSON.parse(deployed('grafana/tollgate.json')) as {
    panels: { id: number; targets: { expr: string }[]; gridPos: { x: number; y: number } }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x}/${y}`)).size).toBe(panels.length);
  expect(panels.flatMap(({ targets }) => targets).filter(({ expr }) => expr === '')).toEqual([]);
});
