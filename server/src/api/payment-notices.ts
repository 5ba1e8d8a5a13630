import { noticePaths } from '@tollgate/contract';
import type { Context, Hono } from 'hono';
import type { Topups } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { ApiLimits } from './limits.ts';
import type { ApiEnv } from './mount.ts';
import { readText } from './request.ts';

interface Parts {
  topups: Pick<Topups, 'gate'>;
  limits: ApiLimits;
  log: Log;
}

const formType = 'application/x-www-form-urlencoded';

/**
 * Where payment services report to: their own proof instead of a session, plain text instead of an envelope. What
 * cannot be booked now is answered as a failure, so that the service tells again.
 */
export function mountNotices(app: Hono<ApiEnv>, parts: Parts): void {
  const form = (context: Context<ApiEnv>) =>
    answering(parts, context, { good: 'success', bad: 'fail', badStatus: 200 }, () => receiveForm(parts, context));
  const event = (context: Context<ApiEnv>) =>
    answering(parts, context, { good: 'ok', bad: 'refused', badStatus: 400 }, () => receiveEvent(parts, context));
  app.on(['GET', 'POST'], [noticePaths.epay, `${noticePaths.epay}/`], form);
  app.on('POST', [noticePaths.stripe, `${noticePaths.stripe}/`], event);
}

interface Words {
  good: string;
  bad: string;
  badStatus: 200 | 400;
}

async function answering(
  { limits, log }: Parts,
  context: Context<ApiEnv>,
  { good, bad, badStatus }: Words,
  receive: () => Promise<boolean>,
): Promise<Response> {
  try {
    await limits.countNotice(context.var.address);
    return (await receive()) ? context.text(good, 200) : context.text(bad, badStatus);
  } catch (error) {
    if (error instanceof PublicError) return context.text(bad, error.retryAfterSeconds === undefined ? badStatus : 429);
    log.error({ err: error, requestId: context.var.requestId }, 'a payment notification could not be booked');
    return context.text(bad, 503);
  }
}

/** The order of R-58: set up at all, size, parameters; the rest is the provider's. */
async function receiveForm({ topups }: Parts, context: Context<ApiEnv>): Promise<boolean> {
  const gate = topups.gate('epay');
  if (gate === undefined) return false;
  const query = new URL(context.req.url).search.slice(1);
  if (query.length > gate.maxBytes) return false;
  const type = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (context.req.method === 'POST' && type !== formType) return false;
  const body = context.req.method === 'POST' ? await readText(context.req.raw, gate.maxBytes) : '';
  const raw = [query, body].filter((part) => part !== '').join('&');
  return (await gate.receive({ raw, signature: '' })).understood;
}

/** Verdicts that need a person are stored; telling them again would change nothing. */
async function receiveEvent({ topups }: Parts, context: Context<ApiEnv>): Promise<boolean> {
  const gate = topups.gate('stripe');
  if (gate === undefined) return false;
  const raw = await readText(context.req.raw, gate.maxBytes);
  const { verdict } = await gate.receive({ raw, signature: context.req.header('stripe-signature') ?? '' });
  return verdict !== 'bad_signature';
}
