import { type Dialect, jsonAnswer } from './dialect.ts';

const hardLimit = 120;
const usedCents = 2050;

/** What vendors answer about an account: a balance of 99.5 wherever the shape allows it. */
export const accountRoutes: readonly (readonly [route: string, dialect: Dialect])[] = [
  ['GET /v1/dashboard/billing/subscription', () => jsonAnswer(200, { hard_limit_usd: hardLimit, has_payment_method: true })],
  ['GET /v1/dashboard/billing/usage', () => jsonAnswer(200, { object: 'list', total_usage: usedCents })],
  ['GET /dashboard/billing/credit_grants', () => jsonAnswer(200, { total_remaining: 99.5, total_available: 99.5 })],
  ['GET /api/report/getUserOverview', () => jsonAnswer(200, { success: true, data: { totalPoints: 99.5 } })],
  ['GET /v1/user/info', () => jsonAnswer(200, { code: 20_000, data: { totalBalance: '99.5' } })],
  [
    'GET /user/balance',
    () => jsonAnswer(200, { is_available: true, balance_infos: [{ currency: 'CNY', total_balance: '99.50' }] }),
  ],
];

/** POST /v1/embeddings: the same small vector for every input. */
export const embeddings: Dialect = ({ json }) => {
  const inputs = Array.isArray(json.input) ? json.input : [json.input];
  if (json.input === undefined)
    return jsonAnswer(400, { error: { message: 'input is required', type: 'invalid_request_error' } });
  const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [0.1, 0.2] }));
  const usage = { prompt_tokens: 2 * inputs.length, total_tokens: 2 * inputs.length };
  return jsonAnswer(200, { object: 'list', data, model: json.model, usage });
};
