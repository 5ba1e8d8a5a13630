import type { Provider, UpstreamCallFacts, Variant } from '../providers/index.ts';
import type { RouteChannel } from '../routing/index.ts';
import type { Asked } from './asked.ts';

/** All that a request to one channel is made of. */
export interface Building {
  readonly asked: Asked;
  readonly channel: RouteChannel;
  readonly provider: Provider;
  readonly call: UpstreamCallFacts;
  readonly variant: Variant | undefined;
}

/** Does the operator want the bytes left alone (contract 6.2)? */
export function isUntouched({ asked, channel }: Pick<Building, 'asked' | 'channel'>): boolean {
  return channel.setting.passThroughBody || asked.option('global.pass_through_request_enabled') === true;
}

const lastResortCap = 8_192;

/** The operator's cap for dialects that must have one. */
export function defaultCap({ option }: Asked, model: string): number {
  const table = option('claude.default_max_tokens');
  const caps = (typeof table === 'object' && table !== null ? table : {}) as Readonly<Record<string, unknown>>;
  const cap = caps[model] ?? caps.default;
  return typeof cap === 'number' && Number.isInteger(cap) && cap > 0 ? cap : lastResortCap;
}

/** The name sent upstream when it differs from the caller's. */
export function otherName({ asked, call }: Building): string | undefined {
  return call.model === asked.inquiry.peek.model ? undefined : call.model;
}
