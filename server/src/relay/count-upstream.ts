import { type JsonObject, parseObject } from '@tollgate/wire';
import { type Place, type Protocol, type Provider, providerOf, type UpstreamCallFacts } from '../providers/index.ts';
import { freshSeed, RoutePlan, type Snapshot, type Target, upstreamModel } from '../routing/index.ts';
import { optionOf } from '../settings/index.ts';
import type { Authenticated } from './authenticate.ts';
import { chooseProtocol } from './choose-dialect.ts';
import { chooseRoutes } from './choose-routes.ts';
import { exchange } from './exchange.ts';
import { RelayFault } from './faults.ts';
import type { Continued } from './inquiry.ts';
import type { RelayParts } from './parts.ts';
import { urlAt } from './prepare-channel.ts';
import { headOf } from './upstream-request.ts';

/** A prompt whose length is asked for. */
export interface CountInquiry {
  readonly protocol: Protocol;
  readonly model: string;
  readonly query: URLSearchParams | undefined;
  header(name: string): string | undefined;
  /** What is counted with it, and kept by an upstream. */
  readonly continues: Continued | undefined;
  /** The bytes for an upstream that calls the model so. */
  bodyFor(model: string): Buffer;
  /** The figure of an answer; undefined when it has none. */
  read(answer: JsonObject): number | undefined;
}

type Parts = Pick<RelayParts, 'upstream' | 'signTools' | 'watch' | 'turns' | 'random' | 'log'>;

/** Counting is a courtesy: who waits longer gets our own figure. */
const limits = { timeoutMs: 5_000, maxBytes: 65_536 };
const maxLooks = 8;

/**
 * The answer of an upstream that speaks the caller's dialect and counts, from the first channel of the model that does.
 * Undefined: none does, or it did not answer in time. What it says about the channel's health is nothing. Never rejects.
 */
export async function countUpstream(
  parts: Parts,
  snapshot: Snapshot,
  { key, pinnedChannel }: Authenticated,
  inquiry: CountInquiry,
): Promise<Buffer | undefined> {
  try {
    const { routes } = chooseRoutes(snapshot, key, inquiry.model, pinnedChannel, inquiry.continues);
    const seed = freshSeed(parts.random());
    const plan = new RoutePlan({ routes, model: inquiry.model, seed, health: parts.watch.health, turns: parts.turns });
    for (let looks = 0; looks < maxLooks; looks += 1) {
      const target = plan.next();
      if (target === undefined) return undefined;
      const asking = askingAt(target, inquiry, snapshot);
      if (asking !== undefined) return await ask(parts, target, inquiry, asking);
    }
  } catch (error) {
    if (!(error instanceof RelayFault)) parts.log.warn({ err: error }, 'an upstream could not be asked to count');
  }
  return undefined;
}

interface Asking {
  readonly provider: Provider;
  readonly call: UpstreamCallFacts;
  readonly place: Place;
}

/** Undefined: this channel cannot tell. */
function askingAt({ channel }: Target, { protocol, model, query, header }: CountInquiry, snapshot: Snapshot): Asking | undefined {
  const provider = providerOf(channel.type);
  const mapped = upstreamModel(channel.modelMapping, model);
  const place = provider?.countPaths?.[protocol];
  if (provider === undefined || place === undefined || mapped === undefined) return undefined;
  const option = optionOf(snapshot.options);
  const named = provider.variantOf?.(mapped, option)?.model ?? mapped;
  if (chooseProtocol(protocol, provider, named) !== protocol) return undefined;
  return { provider, place, call: { channel, model: named, stream: false, protocol, spoken: protocol, query, header, option } };
}

async function ask(
  parts: Parts,
  { channel }: Target,
  inquiry: CountInquiry,
  { provider, call, place }: Asking,
): Promise<Buffer | undefined> {
  const body = inquiry.bodyFor(call.model);
  const { url, headers } = await headOf(
    { call, url: urlAt(channel, provider, place, call), body },
    channel,
    provider,
    parts.signTools,
  );
  const request = { method: 'POST', url, headers, body, pool: String(channel.id), proxy: channel.setting.proxy } as const;
  const answer = await exchange(parts.upstream, request, limits).catch(() => undefined);
  const said = answer?.status === 200 ? parseObject(answer.bytes.toString('utf8')) : undefined;
  return said !== undefined && inquiry.read(said) !== undefined ? answer?.bytes : undefined;
}
