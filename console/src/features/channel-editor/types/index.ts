import { type ChannelType, channelTypes } from '@tollgate/contract';
import { channelType, channelTypeName } from '../../../lib/channel-types.ts';
import { addressOf } from './address.ts';
import type { TypeDescriptor } from './descriptor.ts';
import { typeNames } from './names.ts';
import { otherOf } from './other.ts';

export { ownAddress } from './address.ts';
export type { TypeDescriptor } from './descriptor.ts';

/** The protocol's own provider, which alone knows organizations. */
const organizationType = 1;
const unknown = (type: number): ChannelType => ({ type, label: `#${type}`, color: 'grey', baseUrl: '', offered: false });

function keyOf({ type, key }: ChannelType): TypeDescriptor['key'] {
  if (!key) return { placeholder: typeNames[type]?.keyPlaceholder ?? 'sk-...', whole: false, minParts: 1 };
  return { placeholder: key.text, whole: key.kind === 'json', minParts: key.kind === 'parts' ? key.min : 1 };
}

/** What the editor asks for a type, also for one that this console does not know. */
export function describeType(type: number): TypeDescriptor {
  const facts = channelType(type) ?? unknown(type);
  return {
    address: addressOf(facts),
    key: keyOf(facts),
    other: otherOf(facts),
    notice: typeNames[type]?.notice,
    organization: type === organizationType,
    settingInMain: facts.completeUrl === true,
    completeUrl: facts.completeUrl === true,
  };
}

/** The address that a blank one stands for. */
export const defaultAddress = (type: number): string => channelType(type)?.baseUrl ?? '';

/** Types on offer, and the one that an existing channel has although it is no longer offered. */
export function typeOptions(current: number): { value: number; label: string }[] {
  const listed = channelTypes.filter((facts) => facts.offered || facts.type === current);
  const all = channelType(current) === undefined ? [...listed, unknown(current)] : listed;
  return all.map(({ type }) => ({ value: type, label: channelTypeName(type) }));
}
