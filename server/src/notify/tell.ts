import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { ChannelEvent } from '../routing/index.ts';
import type { Database, Work } from '../storage/database.ts';
import { publish } from './publish.ts';
import { channelMessage, channelTestMessage } from './texts.ts';

/** One that goes to and fro is told of this often. */
const apartSeconds = 300;

/** Tells root that a channel was switched by itself; perform it where it is switched. */
export function tellSwitched(event: ChannelEvent): Work<boolean> {
  const { kind, channelId, at, lastOf } = event;
  // Models that nobody serves any more are an outage: a switch that was none, a moment ago, does not stand for it.
  const isDown = lastOf.length > 0;
  const name = `channel:${channelId}:${kind}${isDown ? ':down' : ''}`;
  const once = { name, reached: at, apart: apartSeconds };
  return publish(
    { event: isDown ? 'channel_down' : 'channel_switched', message: channelMessage(event), audience: 'root', once },
    at,
  );
}

/** Tells root that all channels were tested. */
export function tellTested({ db, clock }: { db: Database; clock: Clock }) {
  return ({ done, failed }: { done: number; failed: number }): Promise<boolean> => {
    const message = channelTestMessage({ tested: done, failed });
    return db.transaction((tx) => tx.perform(publish({ event: 'channel_test', message, audience: 'root' }, nowSeconds(clock))));
  };
}
