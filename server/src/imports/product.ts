import type { Source } from './source.ts';

/** The products whose databases can be read. */
export type Product = 'new-api' | 'one-api' | 'one-hub' | 'laisky';

/** Which product's database this is, by what only that one has; undefined = none of them. */
export function detectProduct({ tables }: Pick<Source, 'tables'>): Product | undefined {
  const has = (table: string, column?: string): boolean =>
    column === undefined ? tables.has(table) : (tables.get(table)?.has(column) ?? false);
  if (!['users', 'tokens', 'channels', 'options'].every((table) => has(table))) return undefined;
  if (has('prices') && has('user_groups')) return 'one-hub';
  if (has('abilities', 'suspend_until') || has('traces')) return 'laisky';
  if (has('channels', 'channel_info') || has('top_ups') || has('quota_data')) return 'new-api';
  return has('tokens', 'subnet') ? 'one-api' : undefined;
}
