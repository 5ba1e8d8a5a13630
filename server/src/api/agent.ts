import type { agentRoutes, agentSelfRoutes, StatementQuery } from '@tollgate/contract';
import type { Agents } from '../agents/index.ts';
import type { Profile } from '../identity/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Downloads } from './downloads.ts';
import { statementFile } from './statement.ts';
import { actorOf, type Call, type Handlers, signedIn } from './types.ts';

interface Parts {
  agents: Agents;
  profile: Profile;
  downloads: Downloads;
}

export function agentSelfHandlers({ agents: { own }, profile, downloads }: Parts): Handlers<typeof agentSelfRoutes> {
  const readSelf = async (call: Pick<Call, 'identity'>, today = 0) => {
    const { user } = signedIn(call);
    return own.self(user.id, await profile.inviteCode(user), today);
  };
  /** The caller's id, once they are known to be an agent. */
  const agentId = async (call: Pick<Call, 'identity'>): Promise<number> => {
    const { user } = signedIn(call);
    await own.check(user.id);
    return user.id;
  };
  const readStatement = async (call: Pick<Call, 'identity'> & { query: StatementQuery }) => {
    const { username } = signedIn(call).user;
    return own.statement({ user_id: await agentId(call), username }, call.query);
  };
  return {
    self: (call) => readSelf(call, call.query.today),
    async apply(call) {
      await own.apply(actorOf(call), call.body);
      const self = await readSelf(call);
      if (self === null) throw new PublicError('agent_missing');
      call.say('申请已提交，请等待审核');
      return self;
    },
    customers: async (call) => own.customers(await agentId(call), call.query),
    dividends: async (call) => own.dividends({ ...call.query, agent_id: await agentId(call) }),
    withdrawals: async (call) => own.withdrawals({ ...call.query, agent_id: await agentId(call), order: 'newest' }),
    async quote(call) {
      await agentId(call);
      return own.quote(call.body);
    },
    async withdraw(call) {
      await agentId(call);
      return own.withdraw(actorOf(call), call.body);
    },
    async cancel(call) {
      await agentId(call);
      return own.cancel(actorOf(call), call.id);
    },
    earnings: async (call) => own.earnings({ ...call.query, agent_id: await agentId(call) }),
    statement: readStatement,
    async statementExport(call) {
      return downloads.file(call, statementFile(await readStatement(call), 'amount_cents'));
    },
    async customersExport(call) {
      return downloads.file(call, { name: 'customers', texts: own.customersCsv(await agentId(call)) });
    },
    async dividendsExport(call) {
      const filter = { ...call.query, agent_id: await agentId(call) };
      return downloads.file(call, { name: 'dividends', texts: own.dividendsCsv(filter) });
    },
    async withdrawalsExport(call) {
      const filter = { ...call.query, agent_id: await agentId(call) };
      return downloads.file(call, { name: 'withdrawals', texts: own.withdrawalsCsv(filter) });
    },
  };
}

export function agentHandlers({ agents: { all }, downloads }: Omit<Parts, 'profile'>): Handlers<typeof agentRoutes> {
  const reviewer = (call: Pick<Call, 'identity' | 'caller'>) => ({ ...actorOf(call), role: signedIn(call).user.role });
  return {
    list: ({ query }) => all.list(query),
    summary: () => all.summary(),
    review: (call) => all.review(reviewer(call), call.id, call.body),
    dividends: ({ query }) => all.dividends(query),
    withdrawals: ({ query }) => all.withdrawals(query),
    manage: (call) => all.manage(reviewer(call), call.id, call.body),
    earnings: ({ query }) => all.earnings(query),
    export: (call) => downloads.file(call, { name: 'agents', texts: all.csv(call.query) }),
    dividendsExport: (call) => downloads.file(call, { name: 'dividends', texts: all.dividendsCsv(call.query) }),
    withdrawalsExport: (call) => downloads.file(call, { name: 'withdrawals', texts: all.withdrawalsCsv(call.query) }),
  };
}
