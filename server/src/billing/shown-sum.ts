import { type RawBuilder, sql } from 'kysely';

/** For people: beyond the exact whole numbers it is rounded, where the books would be refused. */
export const shownSum = (amount: RawBuilder<unknown>) => sql<number | null>`CAST(SUM(${amount}) AS double precision)`;
