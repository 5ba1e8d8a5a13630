import type { Channel, RouteExplanation } from '@tollgate/contract';
import { eventually } from '../wait.ts';
import { type Batch, model, off, on, once, relay, row, type Sight } from './scene.ts';

/** Channels of a model of their own, so that what happens to them concerns nobody else. */
const add =
  (names: readonly string[], own: string, more: object = {}) =>
  async (sight: Sight) => {
    for (const name of names) {
      await sight.root.addChannel({ name, base_url: sight.upstream.url, key: `sk-${name}-0001`, models: own, ...more });
    }
  };

async function channelOf({ root }: Sight, name: string): Promise<Channel | undefined> {
  const rows = await root.call<Channel[]>('GET', '/api/channel/?p=0&page_size=100');
  return rows.find((channel) => channel.name === name);
}

const explain = ({ root }: Sight, own: string) =>
  root.call<RouteExplanation>('POST', '/api/route/explain', { group: 'default', model: own });

/** Fails once with this text, and looks at the channel afterwards: 3 = it was switched off by itself. */
const afterFailing = (name: string, own: string, status: number, text: string) => async (sight: Sight) => {
  sight.upstream.script([{ status, body: { error: { message: text, type: 'x', code: 'x' } } }]);
  await relay(sight, { model: own });
  let now = 0;
  await eventually(async () => {
    now = (await channelOf(sight, name))?.status ?? 0;
    if (now !== 3) throw new Error(`${name} is ${now}`);
  });
  return now;
};

/** A run over all channels, to its end; answers how long it took. */
const testAll = once(async ({ root }) => {
  const began = performance.now();
  await root.call('GET', '/api/channel/test');
  await eventually(async () => {
    const { test } = await root.call<{ test: { running: boolean } }>('GET', '/api/channel/jobs');
    if (test.running) throw new Error('it runs');
  }, 20_000);
  return performance.now() - began;
});

/** Keys that twelve equal calls went out with. */
async function keysOf(sight: Sight, own: string): Promise<number> {
  sight.upstream.reset();
  for (let call = 0; call < 16; call++) await relay(sight, { model: own });
  return new Set(sight.upstream.requests().map(({ headers }) => headers.authorization)).size;
}

const statusOf = (name: string) => async (sight: Sight) => (await channelOf(sight, name))?.status;

/** How channels are chosen, switched off and back on. */
export const channelBatches: readonly Batch[] = [
  {
    name: 'retries and affinity',
    prepare: add(['twin-1', 'twin-2'], 'gpt-4o'),
    rows: [
      row('RetryTimes', '0', async (sight) => (await explain(sight, 'gpt-4o')).plan.length, 1),
      off('ChannelAffinityEnabled', async (sight) => (await keysOf(sight, 'gpt-4o')) > 1, true),
    ],
  },
  {
    name: 'a reserve',
    prepare: add(['spare'], model, { tag: 'reserve' }),
    rows: [
      row('BackupPoolTag', 'reserve', async (sight) => (await explain(sight, model)).backup?.channels.map(({ name }) => name), [
        'spare',
      ]),
      row('BackupPoolRatio', '2.5', async (sight) => (await explain(sight, model)).backup?.ratio, 2.5),
    ],
  },
  {
    name: 'channels that fail',
    prepare: async (sight) => {
      await add(['sick-1'], 'gpt-4')(sight);
      await add(['sick-2'], 'gpt-4-turbo')(sight);
    },
    rows: [
      on('AutomaticDisableChannelEnabled', afterFailing('sick-1', 'gpt-4', 401, 'no such key'), 3),
      row('AutomaticDisableKeywords', 'zebra is gone', afterFailing('sick-2', 'gpt-4-turbo', 400, 'The Zebra is gone today'), 3),
    ],
  },
  {
    name: 'channels that are slow',
    prepare: add(['slow'], 'gpt-3.5-turbo'),
    given: { AutomaticDisableChannelEnabled: 'true' },
    rows: [row('ChannelDisableThreshold', '0.0001', async (sight) => (await testAll(sight)) > 0 && statusOf('slow')(sight), 3)],
  },
  {
    name: 'channels that are well again',
    rows: [
      on('AutomaticEnableChannelEnabled', async (sight) => (await testAll(sight)) > 0 && statusOf('slow')(sight), 1),
      row('ChannelRunPauseSeconds', '0.2', async (sight) => (await testAll(sight)) > 5 * 200, true),
    ],
  },
];
