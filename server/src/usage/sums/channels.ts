import type { Work } from '../../storage/database.ts';
import { inList, rowUpdate } from '../../storage/statements.ts';

/** More than calls leave behind in a second; the rest is the next step's. */
const mostCharges = 4_000;

const updateChannels = rowUpdate(
  'channel',
  [
    ['id', 'int'],
    ['quota', 'int'],
  ],
  'used_quota = channel.used_quota + v.quota',
  'channel.id = v.id',
);

/** Adds to `used_quota` of the channels what calls have been charged on them since. */
export function* addUpCharges(): Work<void> {
  const taken = yield {
    sql: `DELETE FROM channel_charge WHERE id IN (SELECT id FROM channel_charge ORDER BY id LIMIT ${mostCharges}) RETURNING channel_id, quota`,
    parameters: [],
  };
  const sums = new Map<number, number>();
  for (const { channel_id, quota } of taken.rows) {
    sums.set(Number(channel_id), (sums.get(Number(channel_id)) ?? 0) + Number(quota));
  }
  if (sums.size === 0) return;
  const list = inList([...sums.keys()]);
  yield { sql: `SELECT id FROM channel WHERE id IN ${list.sql} ORDER BY id`, parameters: list.parameters, lock: 'wait' };
  yield updateChannels([...sums]);
}
