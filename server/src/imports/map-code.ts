import { redemptionStatus } from '@tollgate/contract';
import type { ImportedCode } from '../billing/index.ts';
import type { Row } from './source.ts';
import { isBeyond32Bit, isDeleted, seconds, text, whole } from './values.ts';

export interface MappedCode {
  readonly key: string;
  /** The source's id of who made it. */
  readonly owner: string;
  readonly code: Omit<ImportedCode, 'userId'>;
  /** Switched off there. */
  readonly isOff: boolean;
  readonly notes: readonly string[];
}

const longestName = 20;

/** A code that may still be redeemed, or why it stays away. */
export function mapCode(row: Row): MappedCode | { readonly key: string; readonly skip: 'deleted' | 'used' } {
  const key = text(row, 'id');
  if (isDeleted(row)) return { key, skip: 'deleted' };
  const status = whole(row, 'status');
  if (status === redemptionStatus.used) return { key, skip: 'used' };
  const isOff = status !== redemptionStatus.unused;
  const code = {
    key: text(row, 'key'),
    name: [...(text(row, 'name') || 'import')].slice(0, longestName).join(''),
    quota: whole(row, 'quota'),
    enabled: !isOff,
    createdAt: seconds(row, 'created_time'),
    expiresAt: Math.max(0, seconds(row, 'expired_time')),
  };
  return { key, owner: text(row, 'user_id'), code, isOff, notes: isBeyond32Bit(code.quota) ? ['beyond_32_bit'] : [] };
}
