/** What a check of the proof is made of; see reconcile.ts. */
export interface Check {
  name: string;
  /** What was compared, for the page. */
  detail: string;
  /** Selects the first row that differs: `what`, `expected`, `found`. One statement = one snapshot, while calls go on. */
  query: string;
  /** Whose rows are compared one by one with movements of their own: the query is asked for one part of them after the other, by `inPart`. */
  each?: 'redemption' | 'topup_order' | 'invite_reward' | 'agent_dividend' | 'agent_withdrawal';
}

/** Condition on the id of the rows that one statement compares; see `each`. */
export const inPart = (id: string): string => `${id} > :after AND ${id} <= :to`;

/** Sums of the movements of each agent's accounts, in cents; one that is booked under somebody else stands apart. */
const agentSums = `
  SELECT user_id, account, SUM(amount) AS total FROM (
    SELECT user_id, to_account AS account, amount FROM transfer WHERE unit = 'cent'
    UNION ALL SELECT user_id, from_account, -amount FROM transfer WHERE unit = 'cent'
  ) AS sides WHERE account LIKE 'agent:%' GROUP BY user_id, account`;

/** The first row of several statements whose two figures differ, also where one is missing. */
const firstOf = (...facts: readonly string[]): string =>
  `SELECT what, expected, found FROM (${facts.join(' UNION ALL ')}) AS facts WHERE expected <> found ORDER BY what LIMIT 1`;

/** Compares one account of every agent with what `records` (agent_id, amount) say; `which` selects those accounts. */
const account = (suffix: string, which: string, records: string): string =>
  firstOf(`
    SELECT COALESCE(said.account, sums.account) AS what, COALESCE(said.total, 0) AS expected, COALESCE(sums.total, 0) AS found
    FROM (
      SELECT agent_id, 'agent:' || agent_id || '${suffix}' AS account, SUM(amount) AS total
      FROM (${records}) AS records GROUP BY agent_id
    ) AS said
    FULL JOIN (SELECT user_id, account, total FROM (${agentSums}) AS all_sums WHERE ${which}) AS sums
      ON sums.user_id = said.agent_id AND sums.account = said.account`);

const booked = (what: string, suffix: string, expected: string): string => `
  SELECT '${what}:' || ${what}.id || '${suffix}' AS what, ${expected} AS expected, COALESCE(booked.amount, 0) AS found
  FROM agent_${what} AS ${what} LEFT JOIN transfer AS booked ON booked.ref = '${what}:' || ${what}.id || '${suffix}'
  WHERE ${inPart(`${what}.id`)}`;

/** Of a withdrawal, once it is paid. */
const whenPaid = (amount: string): string => `CASE WHEN withdrawal.status = 2 THEN ${amount} ELSE 0 END`;

/** Agents: what their records say is what the transfers moved. */
export const agentChecks: readonly Check[] = [
  {
    name: 'dividends_booked',
    detail: 'every dividend was booked once, what was taken back of it too, and it matured once when it is settled',
    each: 'agent_dividend',
    query: firstOf(
      booked('dividend', '', 'dividend.amount'),
      `SELECT 'dividend:' || dividend.id || ':mature', CASE WHEN settled_at > 0 THEN 1 ELSE 0 END,
         CASE WHEN matured.amount IS NULL THEN 0 ELSE 1 END
       FROM agent_dividend AS dividend LEFT JOIN transfer AS matured ON matured.ref = 'dividend:' || dividend.id || ':mature'
       WHERE ${inPart('dividend.id')}`,
      `SELECT 'dividend:' || id || ' status', CASE WHEN reversed = amount THEN 2 WHEN settled_at > 0 THEN 1 ELSE 0 END, status
       FROM agent_dividend WHERE ${inPart('id')}`,
    ),
  },
  {
    name: 'dividends_pending',
    detail: 'what matures of every agent = the dividends that do, less what was taken back',
    query: account(
      ':pending',
      "account LIKE 'agent:%:pending'",
      'SELECT agent_id, amount - reversed AS amount FROM agent_dividend WHERE settled_at = 0',
    ),
  },
  {
    name: 'dividends_reversed',
    detail: 'what was taken back of the dividends of every agent = the movements back',
    query: firstOf(`
      SELECT 'agent:' || COALESCE(said.agent_id, sums.user_id) || ' reversed' AS what,
        COALESCE(said.total, 0) AS expected, COALESCE(sums.total, 0) AS found
      FROM (SELECT agent_id, SUM(reversed) AS total FROM agent_dividend GROUP BY agent_id) AS said
      FULL JOIN (
        SELECT user_id, SUM(amount) AS total FROM transfer WHERE unit = 'cent' AND to_account = 'dividend' GROUP BY user_id
      ) AS sums ON sums.user_id = said.agent_id`),
  },
  {
    name: 'agents_balance',
    detail: 'what every agent may withdraw = the settled dividends, less what was taken back, is in withdrawals or was paid',
    query: account(
      '',
      "account NOT LIKE 'agent:%:%'",
      `SELECT agent_id, amount - reversed AS amount FROM agent_dividend WHERE settled_at > 0
       UNION ALL SELECT agent_id, -amount FROM agent_withdrawal WHERE status IN (1, 2, 4)`,
    ),
  },
  {
    name: 'withdrawals_open',
    detail: 'what every agent has in withdrawals = the open ones',
    query: account(
      ':withdrawing',
      "account LIKE 'agent:%:withdrawing'",
      'SELECT agent_id, amount FROM agent_withdrawal WHERE status IN (1, 4)',
    ),
  },
  {
    name: 'withdrawals_paid',
    detail: 'every paid withdrawal left once, with its fee, and no other did; quota came for it where it was asked for',
    each: 'agent_withdrawal',
    query: firstOf(
      booked('withdrawal', ':payout', whenPaid('withdrawal.amount - withdrawal.fee')),
      booked('withdrawal', ':fee', whenPaid('withdrawal.fee')),
      booked('withdrawal', ':quota', whenPaid('withdrawal.quota')),
    ),
  },
];
