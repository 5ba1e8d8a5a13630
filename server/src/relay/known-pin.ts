import type { Authenticated } from './authenticate.ts';
import type { RelayParts } from './parts.ts';

/** The caller with a chosen channel that exists, be it disabled; one that does not is no number of a channel. */
export async function withKnownPin(
  { snapshot, hasChannel }: Pick<RelayParts, 'snapshot' | 'hasChannel'>,
  who: Authenticated,
): Promise<Authenticated> {
  const { pinnedChannel: id } = who;
  if (id === undefined || Number.isNaN(id) || snapshot().channel(id) !== undefined || (await hasChannel(id))) return who;
  return { ...who, pinnedChannel: Number.NaN };
}
