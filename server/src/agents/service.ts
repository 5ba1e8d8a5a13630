import type {
  AgentApplication,
  AgentCustomer,
  AgentDividend,
  AgentDividendQuery,
  AgentEarningsQuery,
  AgentEntry,
  AgentQuery,
  AgentReview,
  AgentSelf,
  AgentStatement,
  AgentSummary,
  AgentWithdrawal,
  AgentWithdrawalQuery,
  EarningsDay,
  PageOf,
  StatementQuery,
  WithdrawalManagement,
  WithdrawalQuote,
  WithdrawalWish,
} from '@tollgate/contract';
import { agentStatus } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { cancelWithdrawal, matureDividends, quoteWithdrawal, withdraw } from '../billing/index.ts';
import { cautiousClock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { agentById, agentsCsv, pageOfAgents, readOwn, summarize } from './agents.ts';
import { storeApplication, storeReview } from './applying.ts';
import { customersCsv, pageOfCustomers } from './customers.ts';
import type { AgentDeps, Reviewer } from './deps.ts';
import { earningsByDay } from './earnings.ts';
import { manageWithdrawal } from './paying.ts';
import {
  type DividendFilter,
  dividendsCsv,
  pageOfDividends,
  pageOfWithdrawals,
  type WithdrawalFilter,
  withdrawalById,
  withdrawalsCsv,
} from './records.ts';
import { agentStatement } from './statement.ts';

/** One's own agency. Every call throws PublicError `agent_disabled` while agents are off. */
export interface OwnAgency {
  /** `code`: the own invite code. `today`: since when customers are today's, 0 = since midnight in UTC. */
  self(userId: number, code: string, today: number): Promise<AgentSelf | null>;
  apply(actor: Actor, application: AgentApplication): Promise<void>;
  /** Returns when the caller is, or was, an agent; throws PublicError `agent_missing`. All below are for those alone. */
  check(userId: number): Promise<void>;
  customers(agentId: number, paging: { p: number; page_size: number }): Promise<PageOf<AgentCustomer>>;
  dividends(query: AgentDividendQuery): Promise<PageOf<AgentDividend>>;
  withdrawals(query: AgentWithdrawalQuery): Promise<PageOf<AgentWithdrawal>>;
  earnings(query: AgentEarningsQuery): Promise<EarningsDay[]>;
  /** Amounts are cents. */
  statement(agent: Pick<AgentStatement, 'user_id' | 'username'>, query: StatementQuery): Promise<AgentStatement>;
  quote(wish: Pick<WithdrawalWish, 'amount' | 'method'>): WithdrawalQuote;
  withdraw(actor: Actor, wish: WithdrawalWish): Promise<AgentWithdrawal>;
  cancel(actor: Actor, id: number): Promise<AgentWithdrawal>;
  customersCsv(agentId: number): AsyncGenerator<string>;
  dividendsCsv(filter: DividendFilter): AsyncGenerator<string>;
  withdrawalsCsv(filter: WithdrawalFilter): AsyncGenerator<string>;
}

/** Everybody's agencies, for administrators. */
export interface AllAgencies {
  list(query: AgentQuery): Promise<PageOf<AgentEntry>>;
  summary(): Promise<AgentSummary>;
  review(reviewer: Reviewer, userId: number, change: AgentReview): Promise<AgentEntry>;
  dividends(query: AgentDividendQuery): Promise<PageOf<AgentDividend>>;
  withdrawals(query: AgentWithdrawalQuery): Promise<PageOf<AgentWithdrawal>>;
  manage(reviewer: Reviewer, id: number, management: WithdrawalManagement): Promise<AgentWithdrawal>;
  earnings(query: AgentEarningsQuery): Promise<EarningsDay[]>;
  csv(filter: Pick<AgentQuery, 'keyword' | 'status'>): AsyncGenerator<string>;
  dividendsCsv(filter: DividendFilter): AsyncGenerator<string>;
  withdrawalsCsv(filter: WithdrawalFilter): AsyncGenerator<string>;
}

export interface Agents {
  own: OwnAgency;
  all: AllAgencies;
  /** Lets dividends mature whose days are over: one small batch; call again while it answers `more`. */
  mature(): Promise<{ matured: number; more: boolean }>;
}

const matureBatch = 100;
const daySeconds = 86_400;

/** Sums and lists may be long, for the customers of an agent are many: they are read where nothing quick waits. */
export function createAgents(deps: AgentDeps): Agents {
  const cautious = cautiousClock(deps.clock);
  return {
    own: ownAgency(deps),
    all: allAgencies(deps),
    async mature() {
      const at = { now: nowSeconds(deps.clock), due: nowSeconds(cautious) };
      const matured = await deps.db.transaction((tx) => matureDividends(tx, at, matureBatch));
      return { matured, more: matured === matureBatch };
    },
  };
}

function ownAgency({ db, clock, changes, options }: AgentDeps): OwnAgency {
  const checkOn = (): void => {
    if (!options().AgentEnabled) throw new PublicError('agent_disabled');
  };
  return {
    async self(userId, code, today) {
      checkOn();
      const now = nowSeconds(clock);
      const since = today === 0 ? now - (now % daySeconds) : today;
      return readOwn(db.analyse, userId, { code, today: since, options: options() });
    },
    async apply(actor, application) {
      checkOn();
      const how = { application, options: options(), now: nowSeconds(clock) };
      await db.transaction((tx) => storeApplication(tx, actor, how));
    },
    async check(userId) {
      checkOn();
      const row = await db.read.selectFrom('agent').select('status').where('user_id', '=', userId).executeTakeFirst();
      const isAgent = row?.status === agentStatus.active || row?.status === agentStatus.suspended;
      if (!isAgent) throw new PublicError('agent_missing');
    },
    customers: (agentId, paging) => pageOfCustomers(db.analyse, agentId, paging),
    dividends: (query) => pageOfDividends(db.analyse, 'agent', query),
    withdrawals: (query) => pageOfWithdrawals(db.analyse, 'agent', query),
    earnings: (query) => earningsByDay(db.analyse, query, nowSeconds(clock)),
    statement: (agent, query) => agentStatement(db.analyse, agent, query, nowSeconds(clock)),
    quote: (wish) => quoteWithdrawal(options(), wish),
    async withdraw(actor, wish) {
      const now = nowSeconds(clock);
      const id = await db.transaction(async (tx) => {
        const made = await withdraw(tx, { agent: actor, wish, options: options(), now });
        const detail = { amount: wish.amount, method: wish.method };
        await tx.perform(recordAudit({ actor, action: 'agent.withdraw', target: `withdrawal:${made}`, detail, now }));
        return made;
      });
      changes.notify();
      return withdrawalById(db.read, 'agent', id);
    },
    async cancel(actor, id) {
      const now = nowSeconds(clock);
      await db.transaction(async (tx) => {
        await cancelWithdrawal(tx, id, actor.id, now);
        await tx.perform(recordAudit({ actor, action: 'agent.cancel', target: `withdrawal:${id}`, now }));
      });
      return withdrawalById(db.read, 'agent', id);
    },
    customersCsv: (agentId) => customersCsv(db.analyse, agentId),
    dividendsCsv: (filter) => dividendsCsv(db.analyse, 'agent', filter),
    withdrawalsCsv: (filter) => withdrawalsCsv(db.analyse, 'agent', filter),
  };
}

function allAgencies({ db, clock, options }: AgentDeps): AllAgencies {
  return {
    list: (query) => pageOfAgents(db.analyse, query, options()),
    summary: () => summarize(db.analyse),
    async review(reviewer, userId, change) {
      await db.transaction((tx) => storeReview(tx, { userId, change, reviewer, now: nowSeconds(clock) }));
      return agentById(db.analyse, userId, options());
    },
    dividends: (query) => pageOfDividends(db.analyse, 'admin', query),
    withdrawals: (query) => pageOfWithdrawals(db.analyse, 'admin', query),
    async manage(reviewer, id, management) {
      const now = nowSeconds(clock);
      await db.transaction((tx) => manageWithdrawal(tx, id, { management, reviewer, now }));
      return withdrawalById(db.read, 'admin', id);
    },
    earnings: (query) => earningsByDay(db.analyse, query, nowSeconds(clock)),
    csv: (filter) => agentsCsv(db.analyse, filter, options()),
    dividendsCsv: (filter) => dividendsCsv(db.analyse, 'admin', filter),
    withdrawalsCsv: (filter) => withdrawalsCsv(db.analyse, 'admin', filter),
  };
}
