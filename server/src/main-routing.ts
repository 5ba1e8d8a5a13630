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
  openChannelKey,
} from './routing/index.ts';
import type { Options } from './settings/index.ts';
import type { ChangeFeed } from './storage/change-feed.ts';
import type { Database } from './storage/database.ts';

interface Parts {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  feed: ChangeFeed;
  log: Log;
  options: () => Options;
}

/** Everything that decides where calls go, and remembers why. */
export async function createRouting({ db, clock, crypto, feed, log, options }: Parts) {
  const timeline = createTimeline({ db, clock, log });
  const health = createLocalHealth({ monotonicMs: clock.monotonicMs, random: Math.random, onChange: breakerNotes(timeline) });
  const snapshots = await createSnapshots({
    ...{ db, feed, options },
    openKey: (row) => openChannelKey(crypto, row),
    defaultPrice: cataloguePrice,
    // What was switched off and is on again starts with a clean slate.
    onAppeared: (id) => health.forget(id),
  });
  const channelEvents = createChannelEvents(log);
  const channelSwitch = createChannelSwitch({ db, clock, changes: feed, onEvent: channelEvents.emit });
  const watch = createHealthWatch({ health, channelSwitch, log });
  const turns = createKeyTurns();
  const explainer = createRouteExplainer({ db, snapshot: snapshots.current, health, turns, random: Math.random });
  return {
    snapshot: snapshots.current,
    onChannelEvent: channelEvents.on,
    channelSwitch,
    watch,
    turns,
    explainer,
    timeline,
    /** Writes what is still to be written. */
    flush: async () => {
      await watch.flush();
      await timeline.flush();
    },
  };
}

/** Transitions of channels on this node, for whoever sends notifications. A listener that throws harms nobody. */
function createChannelEvents(log: Log) {
  const listeners: ((event: ChannelEvent) => void)[] = [];
  return {
    on: (listener: (event: ChannelEvent) => void) => void listeners.push(listener),
    emit: (event: ChannelEvent) => {
      log.warn({ event }, 'a channel was switched');
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          log.error({ err: error }, 'a listener to channel events failed');
        }
      }
    },
  };
}
