import { type Crypto, SealError } from '../platform/crypto.ts';
import { multiKeyMode, openChannelKey, type StoredChannel, splitKeys } from '../routing/index.ts';
import { readOptionTexts } from '../settings/index.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { describeChannel } from './channel-fields.ts';
import { type Fields, Secret } from './value.ts';

/** A channel as it is now. */
export interface PresentChannel {
  readonly row: StoredChannel;
  readonly fields: Fields;
  readonly keys: readonly Secret[];
}

/** The configuration as it is now. */
export interface Present {
  readonly channels: readonly PresentChannel[];
  /** Option -> text; secrets in plain. */
  readonly options: ReadonlyMap<string, string>;
  /** Options whose stored value is none, or does not open. */
  readonly unreadable: readonly string[];
}

export async function readPresent(query: Database['read'] | Transaction['query'], crypto: Crypto): Promise<Present> {
  const rows = await query.selectFrom('channel').selectAll().orderBy('id').execute();
  const { texts, unreadable } = await readOptionTexts(query, crypto);
  const channels = rows.map((row) => ({ row, fields: describeChannel(row), keys: keysOf(crypto, row) }));
  return { channels, options: texts, unreadable };
}

function keysOf(crypto: Crypto, row: StoredChannel): readonly Secret[] {
  if (row.key_sealed === '') return [];
  try {
    // A channel of before each was stored once may hold one twice.
    const keys = new Set(splitKeys(openChannelKey(crypto, row), multiKeyMode(row.setting)));
    return [...keys].map((key) => new Secret(key));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return row.key_hmac.split(',').map(() => new Secret(undefined));
  }
}
