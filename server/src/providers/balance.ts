import { inside } from './bodies.ts';

/** One request of a balance call. The caller adds the credential, which this module never sees. */
export interface BalanceAsk {
  readonly url: string;
  /** Header that carries the key; default `authorization: Bearer KEY`. */
  readonly keyHeader?: string;
}

/** A balance call as a pure program: it yields requests, receives their JSON and returns the balance. */
export type BalanceProgram = Generator<BalanceAsk, number, unknown>;

/** `base` without a trailing slash; `isOwnAddress`: the operator's, not the vendor's. Throws an error that says what the answer lacks. */
export type BalanceCall = (place: { base: string; isOwnAddress: boolean; nowMs: number }) => BalanceProgram;

const dayMs = 86_400_000;
const withoutPaymentDays = 100;

/** Limit less usage, both in dollars (contract 4.13); usage comes in cents. */
export const dashboardBalance: BalanceCall = function* ({ base, nowMs }) {
  const billing = `${base}/v1/dashboard/billing`;
  const subscription = yield { url: `${billing}/subscription` };
  const today = day(nowMs);
  const paid = inside(subscription, 'has_payment_method') !== false;
  const start = paid ? `${today.slice(0, 8)}01` : day(nowMs - withoutPaymentDays * dayMs);
  const usage = yield { url: `${billing}/usage?start_date=${start}&end_date=${today}` };
  return amount(subscription, 'hard_limit_usd') - amount(usage, 'total_usage') / 100;
};

/** One GET whose answer names the balance at `path`. */
export function simpleBalance(urlPath: string, ...path: string[]): BalanceCall {
  return function* ({ base }) {
    const answer = yield { url: base + urlPath };
    return amount(answer, ...path);
  };
}

/** The vendor keeps accounts on another host than models; an address of the operator's own answers for itself. */
export const overviewBalance: BalanceCall = function* ({ base, isOwnAddress }) {
  const host = isOwnAddress ? base : 'https://aiproxy.io';
  const answer = yield { url: `${host}/api/report/getUserOverview`, keyHeader: 'api-key' };
  return amount(answer, 'data', 'totalPoints');
};

export const userInfoBalance: BalanceCall = function* ({ base }) {
  const answer = yield { url: `${base}/v1/user/info` };
  if (inside(answer, 'code') !== 20_000)
    throw new Error(`code: ${short(inside(answer, 'code'))}, ${short(inside(answer, 'message'))}`);
  return amount(answer, 'data', 'totalBalance');
};

/** The entry in yuan, of an account that has none the first in another currency. Either pays for calls. */
export const currencyBalance: BalanceCall = function* ({ base }) {
  const answer = yield { url: `${base}/user/balance` };
  const infos = inside(answer, 'balance_infos');
  const entries: unknown[] = Array.isArray(infos) ? infos : [];
  const [first, ...others] = entries.toSorted((a, b) => Number(isYuan(b)) - Number(isYuan(a)));
  if (first === undefined) throw new Error('balance_infos is empty');
  const balance = amount(first, 'total_balance');
  return balance > 0 ? balance : (others.map((other) => amount(other, 'total_balance')).find((more) => more > 0) ?? balance);
};

function isYuan(info: unknown): boolean {
  return inside(info, 'currency') === 'CNY';
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** A number, or a decimal as text. */
function amount(value: unknown, ...path: string[]): number {
  const found = inside(value, ...path);
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new Error(`${path.join('.')} is missing`);
  return number;
}

function short(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : '';
}
