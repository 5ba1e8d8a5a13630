import { autoGroup } from '@tollgate/contract';
import { costOf, holdAmount } from '../../server/src/billing/index.ts';
import type { KeyRecord } from '../../server/src/identity/index.ts';
import { requestId } from '../../server/src/platform/ids.ts';
import type { Call } from '../../server/src/relay/call.ts';
import { draftLog } from '../../server/src/relay/log-draft.ts';
import { drawFirst, type Route, type Snapshot } from '../../server/src/routing/index.ts';
import { autoGroupsOf } from '../../server/src/settings/index.ts';
import type { SampleCall } from './calls.ts';
import type { Random } from './random.ts';
import type { DemoServices } from './services.ts';

/** Keys by token name, as the relay knows them. */
export type Keys = ReadonlyMap<string, KeyRecord>;

export interface Books {
  readonly services: DemoServices;
  /** Channels, groups and prices during the whole history. */
  readonly snapshot: Snapshot;
  readonly keys: Keys;
  readonly random: Random;
}

const leaseSeconds = 120;
const promptMargin = 1.25;

interface Booking {
  readonly id: string;
  readonly call: Call;
  readonly sample: SampleCall;
  readonly tried: readonly number[];
  readonly channelId: number;
}

/**
 * Books calls the way the relay does: a hold, then its settle, each group of them in one commit. A call that wallet or
 * token cannot pay for leaves nothing, as in life.
 */
export async function bookCalls(books: Books, samples: readonly SampleCall[]): Promise<void> {
  const bookings = samples.map((sample) => prepare(books, sample));
  const holds = await Promise.all(bookings.map((booking) => hold(books, booking, holdOf(booking))));
  const paid = bookings.filter((_, index) => holds[index]?.ok === true);
  await Promise.all(paid.map((booking) => settle(books, booking)));
}

/** Books one long call that costs more than its token has left: all of that is collected, the rest stands as shortfall. */
export async function bookLastCall(books: Books, sample: SampleCall, remainQuota: number): Promise<void> {
  const booking = prepare(books, { ...sample, usage: { ...sample.usage, cached: 0 } });
  const { price } = booking.call;
  let { completion } = sample.usage;
  while (costOf(price, { ...booking.sample.usage, completion }) <= remainQuota) completion *= 2;
  const long = { ...booking, sample: { ...booking.sample, usage: { ...booking.sample.usage, completion } } };
  const held = await hold(books, long, remainQuota);
  if (!held.ok) throw new Error(`the rest of ${sample.token.name} cannot be held`);
  await settle(books, long);
}

function prepare({ services, snapshot, keys, random }: Books, sample: SampleCall): Booking {
  const key = keys.get(sample.token.name);
  if (key === undefined) throw new Error(`there is no token ${sample.token.name}`);
  const route = routeOf(snapshot, key, sample.model);
  const { group } = route;
  const price = snapshot.prices.lookup({ model: sample.model, userGroup: key.user.group, usingGroup: group });
  if (price === undefined) throw new Error(`${sample.model} has no price`);
  const tried = triedOf(route, sample.retried ? 2 : 1, random);
  const startedAt = sample.endedAt - Math.ceil(sample.durationMs / 1000);
  services.travelTo(startedAt);
  const id = requestId(services.clock);
  const call: Call = {
    id,
    key,
    ip: sample.ip,
    snapshot,
    model: sample.model,
    group,
    price,
    isStream: sample.isStream,
    promptCeiling: Math.ceil(sample.usage.prompt * promptMargin),
    promptEstimate: sample.usage.prompt,
    completionCap: sample.usage.completion,
    capIsCallers: false,
    startedAt,
    startedMonotonicMs: 0,
  };
  return { id, call, sample, tried, channelId: tried.at(-1) ?? 0 };
}

/** Ids of the channels that were asked, in order: as the relay draws them, from one seed for each call. */
function triedOf({ tiers }: Route, attempts: number, random: Random): number[] {
  const tried: number[] = [];
  const seed = random.between(0, 2 ** 32 - 1);
  for (const tier of tiers) {
    while (tried.length < attempts) {
      const channel = drawFirst(tier, seed, ({ id }) => !tried.includes(id));
      if (channel === undefined) break;
      tried.push(channel.id);
    }
  }
  return tried;
}

function routeOf(snapshot: Snapshot, key: KeyRecord, model: string): Route {
  const own = key.user.group;
  const groups = key.group === autoGroup ? autoGroupsOf(snapshot.options, own) : [key.group === '' ? own : key.group];
  const route = groups.map((group) => snapshot.route(group, model)).find((found) => found !== undefined);
  if (route === undefined) throw new Error(`no channel for ${model} in ${groups.join(', ')}`);
  return route;
}

function holdOf({ call, sample }: Booking): number {
  return Math.max(costOf(call.price, sample.usage), holdAmount(call.price, call.promptCeiling, call.completionCap));
}

function hold({ services }: Books, booking: Booking, amount: number) {
  const { id, call } = booking;
  const { draft } = draftLog(call, outcomeOf(booking), services.sign);
  const { key, startedAt: now } = call;
  const owner = { userId: key.user.id, tokenId: key.tokenId };
  return services.ledger.hold({
    ...owner,
    id,
    amount,
    floorCost: 0,
    node: 'demo',
    now,
    leaseUntil: now + leaseSeconds,
    draft,
  });
}

async function settle({ services }: Books, booking: Booking): Promise<void> {
  const { cost, draft } = draftLog(booking.call, outcomeOf(booking), services.sign);
  await services.ledger.settle({ id: booking.id, cost, now: booking.sample.endedAt, draft });
}

function outcomeOf({ call, sample, tried, channelId }: Booking) {
  const mapped = call.snapshot.channel(channelId)?.modelMapping.get(call.model);
  const { usage, firstByteMs, durationMs } = sample;
  const cut = sample.cut ? ('caller_left' as const) : undefined;
  return { usage, channelId, tried, firstByteMs, durationMs, upstreamModel: mapped, cut };
}
