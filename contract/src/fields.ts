import * as z from 'zod/mini';

/** Small schemas that several groups of routes share. Query values arrive as text and are coerced here. */

export const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0', ''] });
export const optionalFlag = z._default(flag, false);
/** A row id: 1 to 2^53-1. */
export const id = z.coerce.number().check(z.int(), z.positive());
/** The same in a body. */
export const rowId = z.number().check(z.int(), z.positive());
/** Pages that count from 0 (contract 1.3). */
export const pageFromZero = z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(100_000)), 0);
/** Pages that count from 1; 0 and less mean 1. */
const pageFromOne = z._default(
  z.pipe(
    z.coerce.number().check(z.int(), z.maximum(100_000)),
    z.transform((page: number) => Math.max(1, page)),
  ),
  1,
);
const pageSizeOf = (usual: number) =>
  z._default(
    z.pipe(
      z.coerce.number().check(z.int()),
      z.transform((size: number) => (size <= 0 ? usual : Math.min(100, size))),
    ),
    usual,
  );
/** Rows per page, clamped to 1..100, default 10. */
export const pageSize = pageSizeOf(10);
/** The page of a list that says how many rows there are. */
export const countedPage = { p: pageFromOne, page_size: pageSize };
/** Of answers that are rows alone: with `peek` the first row of the next page comes along, where there is one. */
const fromZero = { p: pageFromZero, peek: optionalFlag };
/** The page of such a list. */
export const listPage = { ...fromZero, page_size: pageSize };
/** The page of a search. When it is absent the answer is the first 100 matches. */
export const searchPage = { ...fromZero, page_size: pageSizeOf(100) };
/** The same where the answer without a page is longer. */
export const longSearchPage = { ...fromZero, page_size: pageSizeOf(1000) };
/** One of a column's numbers as a filter, up to `max`; 0 or absent = all. */
export const numberFilter = (max: number) => z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(max)), 0);
/** The longest text that a part of a name is searched by. */
export const maxKeyword = 64;
/** Search text, trimmed. */
export const keyword = z._default(z.string().check(z.trim(), z.maxLength(maxKeyword)), '');
/** The end of the year 9999 in unix seconds. */
export const latestTime = 253_402_300_800;
/** Unix seconds, 0 = not given. */
export const timestamp = z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(latestTime)), 0);
export const timeRange = { start_timestamp: timestamp, end_timestamp: timestamp };
/** Of quota, and of cents: 2 billion dollars of it are far above any amount, and sums of it stay in the safe integers. */
export const mostAmount = 1_000_000_000_000_000;
/** A quota amount: JSON integer, never negative, safe. */
export const quota = z.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));
/** An IANA name: where days, weeks and months begin. */
export const timeZone = z._default(z.string().check(z.maxLength(64)), 'UTC');
/** A query filter that is absent or empty when not wanted. */
export const filter = z._default(z.string().check(z.trim(), z.maxLength(255)), '');
/** Model names (rulings 11). */
export const modelName = z.string().check(z.regex(/^[^\s\p{C}]{1,255}$/u));
/** Group names: no comma, since lists of groups travel as comma strings. */
export const groupName = z.string().check(z.regex(/^[^\s,\p{C}]{1,64}$/u));

type Kept<Fields> = {
  [K in keyof Fields]: Fields[K] extends z.ZodMiniDefault<infer Inner extends z.ZodMiniType>
    ? z.ZodMiniOptional<Inner>
    : Fields[K];
};

/** The same fields for a change: what has a default when something is made stays as it is when it is absent. */
export function keptWhenAbsent<Fields extends Record<string, z.ZodMiniType>>(fields: Fields): Kept<Fields> {
  const kept = Object.entries(fields).map(([name, field]) => [
    name,
    field instanceof z.ZodMiniDefault ? z.optional(field._zod.def.innerType as z.ZodMiniType) : field,
  ]);
  return Object.fromEntries(kept) as Kept<Fields>;
}
