import type { Clock } from './platform/clock.ts';
import type { Crypto } from './platform/crypto.ts';
import type { Log } from './platform/log.ts';
import { cataloguePrice } from './providers/index.ts';
import {
  breakerNotes,
  type ChannelEvent,
  createChannelSwitch,
  createHealthWatch,
  createKeyTurns,
  createLocalHealth,
  createRouteExplainer,
  createSnapshots,
  createTimeline,
  downModels,
  openChannelKey,
  readAnyChannel,
} from './routing/index.ts';
import type { Options } from './settings/index.ts';
import type { ChangeFeed } from './storage/change-feed.ts';
import type { Database, Work } from './storage/database.ts';

interface Parts {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  feed: ChangeFeed;
  log: Log;
  options: () => Options;
  /** Puts a transition of a channel into the outbox of notifications. */
  tell: (event: ChannelEvent) => Work<unknown>;
}

/** Everything that decides where calls go, and remembers why. */
export async function createRouting({ db, clock, crypto, feed, log, options, tell }: Parts) {
  const timeline = createTimeline({ db, clock, log });
  const health = createLocalHealth({ monotonicMs: clock.monotonicMs, random: Math.random, onChange: breakerNotes(timeline) });
  const snapshots = await createSnapshots({
    ...{ db, feed, options },
    openKey: (row) => openChannelKey(crypto, row),
    defaultPrice: cataloguePrice,
    // What was switched off and is on again starts with a clean slate.
    onAppeared: (id) => health.forget(id),
  });
  const onEvent = (event: ChannelEvent) => log.warn({ event }, 'a channel was switched');
  const channelSwitch = createChannelSwitch({ db, clock, crypto, changes: feed, tell, onEvent });
  const watch = createHealthWatch({ health, channelSwitch, log });
  const turns = createKeyTurns();
  const explainer = createRouteExplainer({ db, crypto, snapshot: snapshots.current, health, turns, random: Math.random });
  return {
    snapshot: snapshots.current,
    /** A channel whatever its status; undefined = there is none. */
    anyChannel: (id: number) => readAnyChannel({ db, crypto }, id),
    channelSwitch,
    watch,
    turns,
    explainer,
    timeline,
    /** Channels that calls are kept away from now, with the models they are kept from; `*` = all. */
    openChannels: () =>
      [...snapshots.current().channelIds()].flatMap((channelId) => {
        const channel = snapshots.current().channel(channelId);
        const models = channel === undefined ? [] : downModels(health, channel);
        return models.length === 0 ? [] : [{ channelId, name: channel?.name ?? '', models: models.map((model) => model || '*') }];
      }),
    /** Breakers of a channel that keep calls away now. */
    openBreakers: (channelId: number) => health.view(channelId).filter(({ phase }) => phase !== 'closed').length,
    allOpenBreakers: () => health.openCount(),
    /** Writes what is still to be written. */
    flush: async () => {
      await watch.flush();
      await timeline.flush();
    },
  };
}
