import { logType } from '@tollgate/contract';
import type { ImportedLog } from '../usage/index.ts';
import type { Product } from './product.ts';
import type { Row } from './source.ts';
import { isSet, jsonObject, seconds, text, whole } from './values.ts';

export interface MappedLog {
  readonly id: number;
  readonly owner: string;
  readonly channel: string;
  readonly token: string;
  readonly log: Omit<ImportedLog, 'userId' | 'channelId' | 'tokenId'>;
}

const longestText = 65_536;
const test = 5;

/** A log row as it will be here. Type 5 is a failure in one family and a test of a channel in the other. */
export function mapLog(product: Product, row: Row): MappedLog {
  const number = whole(row, 'type');
  const isTest = number === test && (product === 'one-api' || product === 'laisky');
  const known: readonly number[] = Object.values(logType);
  const quota = Math.max(0, whole(row, 'quota'));
  const other = text(row, 'other');
  const log = {
    createdAt: seconds(row, 'created_at'),
    type: isTest ? logType.consume : known.includes(number) ? number : logType.unknown,
    username: text(row, 'username'),
    tokenName: text(row, 'token_name'),
    model: text(row, 'model_name'),
    group: text(row, 'group'),
    quota: isTest ? 0 : quota,
    promptTokens: Math.max(0, whole(row, 'prompt_tokens')),
    completionTokens: Math.max(0, whole(row, 'completion_tokens')),
    useTime: useTimeOf(row),
    isStream: isSet(row, 'is_stream'),
    content: text(row, 'content').slice(0, longestText),
    other: isTest ? JSON.stringify({ test: true, would_cost: quota }) : readable(other),
    requestId: text(row, 'request_id'),
    ip: text(row, 'ip') || text(row, 'source_ip'),
  };
  return {
    id: whole(row, 'id'),
    owner: text(row, 'user_id'),
    channel: text(row, 'channel_id'),
    token: text(row, 'token_id'),
    log,
  };
}

/** Seconds in one product, milliseconds under other names in the others. */
function useTimeOf(row: Row): number {
  const ms = whole(row, 'elapsed_time') || whole(row, 'request_time');
  return Math.max(0, ms > 0 ? Math.round(ms / 1000) : whole(row, 'use_time'));
}

function readable(other: string): string {
  const value = other.length > longestText ? undefined : jsonObject(other);
  return value === undefined || Object.keys(value).length === 0 ? '' : other;
}
