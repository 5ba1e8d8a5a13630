import type { LogFilter } from '../log/filter.ts';
import { isPattern } from '../log/pattern.ts';

/** The columns of a row that postings are kept of. */
export interface PostedRow {
  readonly type: number;
  readonly user_id: number;
  readonly username: string;
  readonly token_id: number;
  readonly token_name: string;
  readonly model_name: string;
  readonly channel_id: number;
  readonly group_name: string;
}

/** Stored numbers: never reused. */
export const dimensions: readonly (readonly [code: number, column: keyof PostedRow])[] = [
  [1, 'type'],
  [2, 'user_id'],
  [3, 'username'],
  [4, 'token_id'],
  [5, 'token_name'],
  [6, 'model_name'],
  [7, 'channel_id'],
  [8, 'group_name'],
];

/** All rows of the segment, and those that pages show. */
const masks = 0;
export const allRows: Wanted = { dimension: masks, value: 'all', isPattern: false };
export const shownRows: Wanted = { dimension: masks, value: 'shown', isPattern: false };

export const postedColumns = dimensions.map(([, column]) => column);
const codes = new Map(dimensions.map(([code, column]) => [column, code]));

/** One part of a filter that postings answer. */
export interface Wanted {
  readonly dimension: number;
  readonly value: string;
  /** `value` has wildcards. */
  readonly isPattern: boolean;
}

/** All of these must hold; time is another matter. */
export function wantedBy(filter: LogFilter): Wanted[] {
  const wanted = (column: keyof PostedRow, value: string | number): Wanted[] =>
    value === '' || value === 0
      ? []
      : [
          {
            dimension: codes.get(column) ?? 0,
            value: String(value),
            isPattern: column === 'model_name' && isPattern(String(value)),
          },
        ];
  const model = wanted('model_name', filter.model);
  // Rare values first: where they leave nothing, the rest is not read.
  return [
    ...wanted('token_id', filter.tokenId),
    ...wanted('user_id', filter.userId),
    ...wanted('username', filter.username),
    ...wanted('token_name', filter.tokenName),
    ...wanted('channel_id', filter.channel),
    ...model.filter((one) => !one.isPattern),
    ...wanted('group_name', filter.group),
    ...wanted('type', filter.type),
    ...model.filter((one) => one.isPattern),
  ];
}
