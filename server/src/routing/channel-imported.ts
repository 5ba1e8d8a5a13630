import type { ChannelInput } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import type { Transaction } from '../storage/database.ts';
import { completeColumns, keyLines } from './channel-input.ts';
import { multiKeyMode } from './channel-setting.ts';
import { insertChannel } from './channel-writes.ts';
import type { ChannelDeps } from './channels.ts';

/** Why our rules refuse a channel, as a text; undefined = they do not. */
export function channelFault(input: ChannelInput): string | undefined {
  try {
    keyLines(completeColumns(input).type, input.key ?? '');
    return undefined;
  } catch (error) {
    if (error instanceof PublicError) return error.message;
    throw error;
  }
}

export interface ImportedChannel {
  readonly input: ChannelInput;
  readonly status: number;
  /** Credentials that are switched off alone. */
  readonly offKeys: readonly { readonly key: string; readonly reason: string }[];
  /** Unix seconds. */
  readonly now: number;
}

/** Writes a channel of another product with its abilities, which `channelFault` has nothing against. */
export async function insertImportedChannel(
  deps: Pick<ChannelDeps, 'crypto'>,
  tx: Transaction,
  { input, status, offKeys, now }: ImportedChannel,
): Promise<number> {
  const columns = completeColumns(input);
  const lines = keyLines(columns.type, input.key ?? '');
  const key = multiKeyMode(columns.setting) === undefined ? (lines[0] ?? '') : lines.join('\n');
  const id = await insertChannel(deps, tx, columns, { key, status, now });
  const rows = offKeys.map(({ key: off, reason }) => ({
    channel_id: id,
    key_hmac: deps.crypto.hmac('channel-key', off),
    reason,
    changed_at: now,
  }));
  for (const row of rows)
    await tx.query
      .insertInto('channel_key')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return id;
}
