import * as z from 'zod/mini';
import type {
  AgentCustomer,
  AgentDividend,
  AgentEntry,
  AgentSelf,
  AgentSummary,
  AgentWithdrawal,
  EarningsDay,
  WithdrawalQuote,
} from './agent.ts';
import { payoutMethods, withdrawalActions } from './agent-states.ts';
import { countedPage, keyword, mostAmount, timeRange, timestamp } from './fields.ts';
import { data, defineRoute, type PageOf, type StreamAnswer } from './route.ts';
import { type AgentStatement, statementQuery } from './statement.ts';

const cents = z.number().check(z.int(), z.positive(), z.maximum(mostAmount));
const text = (max: number) => z._default(z.string().check(z.trim(), z.maxLength(max)), '');
/** Absent and empty mean all. */
const state = (max: number) =>
  z.optional(
    z.union([
      z.pipe(
        z.literal(''),
        z.transform(() => undefined),
      ),
      z.coerce.number().check(z.int(), z.minimum(0), z.maximum(max)),
    ]),
  );
const agentId = { agent_id: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0) };

const dividendFilters = { status: state(2), ...timeRange };
const withdrawalFilters = { status: state(5), ...timeRange };
const agentFilters = { keyword, status: state(3) };
/** `oldest`: the queue as it is worked off. */
const order = { order: z._default(z.enum(['newest', 'oldest']), 'newest') };
const withdrawalQuery = z.object({ ...countedPage, ...agentId, ...withdrawalFilters, ...order });
const dividendQuery = z.object({ ...countedPage, ...agentId, ...dividendFilters });
const agentQuery = z.object({ ...countedPage, ...agentFilters });
export type AgentQuery = z.infer<typeof agentQuery>;
export type AgentDividendQuery = z.infer<typeof dividendQuery>;
export type AgentWithdrawalQuery = z.infer<typeof withdrawalQuery>;

/**
 * 30 days until now unless told, 400 at most, by the clocks of `time_zone`; without one by `offset`, minutes that the reader's
 * clock is ahead of UTC.
 */
const earningsFields = {
  ...timeRange,
  time_zone: z._default(z.string().check(z.maxLength(64)), ''),
  offset: z._default(z.coerce.number().check(z.int(), z.minimum(-900), z.maximum(900)), 0),
};
const earningsQuery = z.object({ ...earningsFields, ...agentId });
export type AgentEarningsQuery = z.infer<typeof earningsQuery>;

const application = z.object({
  contact_name: text(64),
  contact_phone: text(64),
  contact_email: text(64),
  remark: text(500),
});
export type AgentApplication = z.infer<typeof application>;

const wish = z.object({
  amount: cents,
  method: z.enum(payoutMethods),
  /** Of these, method `quota` needs none and method `bank` all. */
  payee_name: text(64),
  payee_account: text(64),
  bank_name: text(64),
  remark: text(500),
});
export type WithdrawalWish = z.infer<typeof wish>;

/** What is absent stays as it is. A user who never applied becomes an agent by status 1. */
const review = z.object({
  status: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(3))),
  /** The status that the reviewer saw; when it has changed meanwhile the answer is `agent_status_changed`. */
  seen_status: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(3))),
  level: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(99))),
  /** null = the site's rate. */
  commission_rate: z.optional(z.nullable(z.number())),
  remark: z.optional(z.string().check(z.trim(), z.maxLength(500))),
  review_note: z.optional(z.string().check(z.trim(), z.maxLength(500))),
});
export type AgentReview = z.infer<typeof review>;

/** `pay` needs a reference, `reject` a reason. */
const management = z.object({ action: z.enum(withdrawalActions), reference: text(128), reason: text(500) });
export type WithdrawalManagement = z.infer<typeof management>;

/** The caller's own agency. All answer `agent_disabled` while agents are off, all but the first two `agent_missing` for others. */
export const agentSelfRoutes = {
  /** null: never applied. `today`: since when customers are today's; 0 = since midnight in UTC. */
  self: defineRoute({
    method: 'GET',
    path: '/api/agent/self',
    access: 'user',
    query: z.object({ today: timestamp }),
    data: data<AgentSelf | null>(),
  }),
  /** Also after a rejection. */
  apply: defineRoute({ method: 'POST', path: '/api/agent/apply', access: 'user', body: application, data: data<AgentSelf>() }),
  /** Newest first, as all lists here. */
  customers: defineRoute({
    method: 'GET',
    path: '/api/agent/self/customers',
    access: 'user',
    query: z.object(countedPage),
    data: data<PageOf<AgentCustomer>>(),
  }),
  dividends: defineRoute({
    method: 'GET',
    path: '/api/agent/self/dividends',
    access: 'user',
    query: z.object({ ...countedPage, ...dividendFilters }),
    data: data<PageOf<AgentDividend>>(),
  }),
  withdrawals: defineRoute({
    method: 'GET',
    path: '/api/agent/self/withdrawals',
    access: 'user',
    query: z.object({ ...countedPage, ...withdrawalFilters }),
    data: data<PageOf<AgentWithdrawal>>(),
  }),
  /** What `withdraw` would take and bring. */
  quote: defineRoute({
    method: 'POST',
    path: '/api/agent/self/withdrawals/quote',
    access: 'user',
    body: z.object({ amount: cents, method: z.enum(payoutMethods) }),
    data: data<WithdrawalQuote>(),
  }),
  withdraw: defineRoute({
    method: 'POST',
    path: '/api/agent/self/withdrawals',
    access: 'user',
    sessionOnly: true,
    body: wish,
    data: data<AgentWithdrawal>(),
  }),
  /** While nobody claimed it. */
  cancel: defineRoute({
    method: 'POST',
    path: '/api/agent/self/withdrawals/:id/cancel',
    access: 'user',
    sessionOnly: true,
    data: data<AgentWithdrawal>(),
  }),
  earnings: defineRoute({
    method: 'GET',
    path: '/api/agent/self/earnings',
    access: 'user',
    query: z.object(earningsFields),
    data: data<EarningsDay[]>(),
  }),
  /** As of a user's account: `GET /api/statement/self`. */
  statement: defineRoute({
    method: 'GET',
    path: '/api/agent/self/statement',
    access: 'user',
    query: statementQuery,
    data: data<AgentStatement>(),
  }),
  statementExport: defineRoute({
    method: 'GET',
    path: '/api/agent/self/statement/export',
    access: 'user',
    query: statementQuery,
    data: data<StreamAnswer>(),
  }),
  /** Downloads of the lists as CSV: all rows of the filters. */
  customersExport: defineRoute({
    method: 'GET',
    path: '/api/agent/self/customers/export',
    access: 'user',
    data: data<StreamAnswer>(),
  }),
  dividendsExport: defineRoute({
    method: 'GET',
    path: '/api/agent/self/dividends/export',
    access: 'user',
    query: z.object(dividendFilters),
    data: data<StreamAnswer>(),
  }),
  withdrawalsExport: defineRoute({
    method: 'GET',
    path: '/api/agent/self/withdrawals/export',
    access: 'user',
    query: z.object(withdrawalFilters),
    data: data<StreamAnswer>(),
  }),
} as const;

/** Everybody's agencies. These work while agents are off, too: what is open can be brought to its end. */
export const agentRoutes = {
  /** `keyword`: a user's id, or a part of user name, display name or contact. */
  list: defineRoute({
    method: 'GET',
    path: '/api/agent',
    access: 'admin',
    query: agentQuery,
    data: data<PageOf<AgentEntry>>(),
  }),
  summary: defineRoute({ method: 'GET', path: '/api/agent/summary', access: 'admin', data: data<AgentSummary>() }),
  /** `:id` is the user's. Status 0, 2, 3 -> 1; 0 -> 2; 1 -> 3. Agents of one's own or a higher level: root only. */
  review: defineRoute({
    method: 'PUT',
    path: '/api/agent/:id',
    access: 'admin',
    sessionOnly: true,
    body: review,
    data: data<AgentEntry>(),
  }),
  dividends: defineRoute({
    method: 'GET',
    path: '/api/agent/dividends',
    access: 'admin',
    query: dividendQuery,
    data: data<PageOf<AgentDividend>>(),
  }),
  withdrawals: defineRoute({
    method: 'GET',
    path: '/api/agent/withdrawals',
    access: 'admin',
    query: withdrawalQuery,
    data: data<PageOf<AgentWithdrawal>>(),
  }),
  /** What another administrator claimed, only that one and root release, pay or reject. */
  manage: defineRoute({
    method: 'POST',
    path: '/api/agent/withdrawals/:id/manage',
    access: 'admin',
    sessionOnly: true,
    body: management,
    data: data<AgentWithdrawal>(),
  }),
  earnings: defineRoute({
    method: 'GET',
    path: '/api/agent/earnings',
    access: 'admin',
    query: earningsQuery,
    data: data<EarningsDay[]>(),
  }),
  export: defineRoute({
    method: 'GET',
    path: '/api/agent/export',
    access: 'admin',
    query: z.object(agentFilters),
    data: data<StreamAnswer>(),
  }),
  dividendsExport: defineRoute({
    method: 'GET',
    path: '/api/agent/dividends/export',
    access: 'admin',
    query: z.object({ ...agentId, ...dividendFilters }),
    data: data<StreamAnswer>(),
  }),
  withdrawalsExport: defineRoute({
    method: 'GET',
    path: '/api/agent/withdrawals/export',
    access: 'admin',
    query: z.object({ ...agentId, ...withdrawalFilters }),
    data: data<StreamAnswer>(),
  }),
} as const;
