import * as z from 'zod/mini';
import { timeZone } from './fields.ts';
import { data, defineRoute, type StreamAnswer } from './route.ts';

/** What moves a balance beside the charges of calls. `give_back`: of a charge; `refund`: a payment that went back. */
export const movementKinds = [
  ...['payment', 'redeem', 'grant', 'invite', 'affiliate', 'adjust', 'conversion', 'give_back', 'refund', 'reversal'],
  ...['opening'],
] as const satisfies readonly string[];

export interface StatementMovement {
  /** One of `movementKinds`, or what a later version calls another one. */
  kind: string;
  count: number;
  /** Quota; below 0 = taken away. */
  amount: number;
}

export interface StatementCharge {
  /** "" with the token "" = all the others together. */
  model: string;
  token: string;
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
}

/** A month of an account: opening + all movements - charged = closing, to the unit. Amounts are quota. */
export interface Statement {
  user_id: number;
  username: string;
  /** `2026-11`, by the clocks of `time_zone`. */
  month: string;
  time_zone: string;
  /** Unix seconds; of a balance that was imported within the month, the next full hour. */
  start: number;
  /** Exclusive; when it lies ahead, `closing` is as it is now. */
  end: number;
  opening: number;
  movements: StatementMovement[];
  /** The sum of `charges`. */
  charged: number;
  /** The dearest first; what was given back of one stands among the movements. */
  charges: StatementCharge[];
  closing: number;
}

/**
 * A month of what an agent had earned and was not paid: opening + all movements = closing, to the cent. Amounts are cents. Kinds are
 * `dividend`; `refund`: taken back with its payment; `withdrawal`: paid out or turned into quota, fees included.
 */
export type AgentStatement = Omit<Statement, 'charged' | 'charges'>;

/** `2026-11`; absent = this month. */
const month = z._default(z.string().check(z.regex(/^(20\d\d-(0[1-9]|1[0-2]))?$/)), '');
export const statementQuery = z.object({ month, time_zone: timeZone });
export type StatementQuery = z.infer<typeof statementQuery>;
const query = statementQuery;

/** The exports are streamed downloads: CSV, a line each, whose last column adds up from the opening to the closing balance. */
export const statementRoutes = {
  self: defineRoute({ method: 'GET', path: '/api/statement/self', access: 'user', query, data: data<Statement>() }),
  selfExport: defineRoute({
    method: 'GET',
    path: '/api/statement/self/export',
    access: 'user',
    query,
    data: data<StreamAnswer>(),
  }),
  ofUser: defineRoute({ method: 'GET', path: '/api/statement/:id', access: 'admin', query, data: data<Statement>() }),
  ofUserExport: defineRoute({
    method: 'GET',
    path: '/api/statement/:id/export',
    access: 'admin',
    query,
    data: data<StreamAnswer>(),
  }),
} as const;
