import { logType } from '@tollgate/contract';
import type { ImportedLog } from '../usage/index.ts';
import type { Product } from './product.ts';
import type { Row } from './source.ts';
import { idOf, isSet, jsonObject, seconds, text, whole } from './values.ts';

export interface MappedLog {
  readonly id: bigint;
  readonly owner: string;
  readonly channel: string;
  readonly token: string;
  /** A figure was more than any call has: it became 0. */
  readonly isBeyond: boolean;
  readonly log: Omit<ImportedLog, 'userId' | 'channelId' | 'tokenId'>;
}

const longestText = 65_536;
/** Two million dollars, or that many tokens or seconds, is no call: sums over rows of more would not be exact for long. */
const largestFigure = 1_000_000_000_000;
const figures = ['quota', 'prompt_tokens', 'completion_tokens', 'use_time', 'elapsed_time', 'request_time'] as const;
const test = 5;

/** A log row as it will be here. Type 5 is a failure in one family and a test of a channel in the other. */
export function mapLog(product: Product, row: Row): MappedLog {
  const number = whole(row, 'type');
  const isTest = number === test && (product === 'one-api' || product === 'laisky');
  const known: readonly number[] = Object.values(logType);
  const quota = figureOf(row, 'quota');
  const other = text(row, 'other');
  const log = {
    createdAt: seconds(row, 'created_at'),
    type: isTest ? logType.consume : known.includes(number) ? number : logType.unknown,
    username: text(row, 'username'),
    tokenName: text(row, 'token_name'),
    model: text(row, 'model_name'),
    group: text(row, 'group'),
    quota: isTest ? 0 : quota,
    promptTokens: figureOf(row, 'prompt_tokens'),
    completionTokens: figureOf(row, 'completion_tokens'),
    useTime: useTimeOf(row),
    isStream: isSet(row, 'is_stream'),
    content: text(row, 'content').slice(0, longestText),
    other: isTest ? JSON.stringify({ test: true, would_cost: quota }) : readable(other),
    requestId: text(row, 'request_id'),
    ip: text(row, 'ip') || text(row, 'source_ip'),
  };
  return {
    id: idOf(row),
    owner: text(row, 'user_id'),
    channel: text(row, 'channel_id'),
    token: text(row, 'token_id'),
    isBeyond: figures.some((column) => Number(row[column] ?? 0) > largestFigure),
    log,
  };
}

/** 0 for what is below it, no number, or more than any call has. */
function figureOf(row: Row, column: (typeof figures)[number]): number {
  const figure = whole(row, column);
  return figure > 0 && figure <= largestFigure ? figure : 0;
}

/** Seconds in one product, milliseconds under other names in the others. */
function useTimeOf(row: Row): number {
  const ms = figureOf(row, 'elapsed_time') || figureOf(row, 'request_time');
  return ms > 0 ? Math.round(ms / 1000) : figureOf(row, 'use_time');
}

function readable(other: string): string {
  const value = other.length > longestText ? undefined : jsonObject(other);
  return value === undefined || Object.keys(value).length === 0 ? '' : other;
}
