import { channelTypes } from '@tollgate/contract';
import type { Product } from '../product.ts';

/** What a channel type of another product is here. */
export interface TypeTarget {
  readonly type: number;
  /** The address, where the channel has none of its own and ours has another. */
  readonly address?: string;
  /** The credential is written in another way: the channel comes switched off, to be looked at. */
  readonly review?: true;
  /** Nobody's but the channel's own address will do. */
  readonly needsAddress?: true;
}

type Numbers = Readonly<Record<number, number | TypeTarget>>;

/** Its own numbers are those of new-api; what it added later has no counterpart here. */
const sameNumbers: Numbers = Object.fromEntries(
  channelTypes.filter(({ type }) => type < 49).map(({ type }): [number, number] => [type, type]),
);

/** 0 to 23 of the older family. */
const older: Numbers = {
  ...Object.fromEntries(Object.entries(sameNumbers).filter(([type]) => Number(type) <= 23)),
  2: { type: 1, address: 'https://oa.api2d.net' },
  4: { type: 1, review: true },
  5: { type: 1, address: 'https://api.openai-sb.com' },
  // Paths are appended to its address there; ours, and that of new-api, is complete.
  8: { type: 1, needsAddress: true },
};

const oneApi: Numbers = {
  ...older,
  24: 24,
  25: 25,
  26: 1102,
  27: 35,
  28: 42,
  29: 1001,
  30: 4,
  31: 31,
  32: 1101,
  33: 33,
  35: 34,
  36: 43,
  37: 39,
  39: 1002,
  40: 45,
  41: 1008,
  42: 41,
  44: 40,
  45: 48,
  47: 46,
  48: 1108,
  49: 17,
  50: { type: 1, needsAddress: true },
};

const laisky: Numbers = { ...oneApi, 52: { type: 14, needsAddress: true }, 54: 1003, 55: 1005, 56: 1004, 57: 1011 };

const oneHub: Numbers = {
  ...older,
  25: 24,
  26: 1102,
  27: 35,
  28: 43,
  29: 25,
  30: 42,
  31: 1001,
  32: { type: 33, review: true },
  33: 31,
  34: 2,
  35: { type: 39, review: true },
  36: 34,
  39: 4,
  40: { type: 23, review: true },
  41: 36,
  42: { type: 41, review: true },
  45: 40,
  47: 38,
  49: 1006,
  56: 48,
};

const numbers: Readonly<Record<Product, Numbers>> = {
  'new-api': sameNumbers,
  'one-api': oneApi,
  laisky,
  'one-hub': oneHub,
};

/** A type's counterpart; undefined = there is none. The same number means another vendor in another product. */
export function typeOf(product: Product, number: number): TypeTarget | undefined {
  const target = numbers[product][number];
  return typeof target === 'number' ? { type: target } : target;
}

/** Which member of a channel's `config` stands in the field `other` here, by our type. */
export const otherMembers: Readonly<Record<number, string>> = {
  3: 'api_version',
  18: 'api_version',
  24: 'api_version',
  17: 'plugin',
  21: 'library_id',
  39: 'user_id',
  41: 'region',
};

/** Credentials that stand in `config` instead of in the key; undefined = this one's does not. */
export function credentialIn(type: number, config: Readonly<Record<string, unknown>>): string | undefined {
  const member = (name: string): string => {
    const value = config[name];
    return typeof value === 'string' ? value : '';
  };
  if (type === 33 && member('ak') !== '') return [member('ak'), member('sk'), member('region')].join('|');
  return type === 41 && member('vertex_ai_adc') !== '' ? member('vertex_ai_adc') : undefined;
}
