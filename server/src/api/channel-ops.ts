import { type channelOpsRoutes, errorText } from '@tollgate/contract';
import type {
  ChannelBalances,
  ChannelBatches,
  ChannelJobs,
  ChannelTags,
  ChannelTests,
  createChannelCopy,
  ModelLists,
} from '../routing/index.ts';
import { actorOf, type Handlers } from './types.ts';

/** The services behind what is done with channels beside writing them. */
export interface ChannelOps {
  tests: ChannelTests;
  balances: ChannelBalances;
  lists: ModelLists;
  /** The dialects that a channel's upstream speaks. */
  probe(id: number): Promise<string[]>;
  copy: ReturnType<typeof createChannelCopy>;
  batches: ChannelBatches;
  tags: ChannelTags;
  jobs: ChannelJobs;
}

export function channelOpsHandlers({ channelOps }: { channelOps: ChannelOps }): Handlers<typeof channelOpsRoutes> {
  return { ...upstreamHandlers(channelOps), ...bulkHandlers(channelOps) };
}

type Upstream =
  | 'test'
  | 'testAll'
  | 'jobs'
  | 'updateBalance'
  | 'updateBalances'
  | 'fetchModels'
  | 'fetchUnsaved'
  | 'diffModels'
  | 'applyModels'
  | 'testUpstream';

function upstreamHandlers({
  tests,
  balances,
  lists,
  probe,
  jobs,
}: ChannelOps): Pick<Handlers<typeof channelOpsRoutes>, Upstream> {
  return {
    async test(call) {
      const {
        success,
        fault,
        seconds: time,
        ...said
      } = await tests.test(call.id, { model: call.query.model, keyIndex: call.query.key_index, actor: actorOf(call) });
      const message = fault === undefined ? said.message : errorText(fault.code, { ...fault.values }, call.language);
      call.add({ success, message, time });
      return { time };
    },
    async testAll(call) {
      await jobs.startTest(actorOf(call));
    },
    jobs: () => jobs.state(),
    async updateBalance(call) {
      const { balance } = await balances.refresh(call.id);
      call.add({ balance });
      return { balance };
    },
    async updateBalances() {
      await jobs.startBalance();
    },
    fetchModels: ({ id }) => lists.stored(id),
    fetchUnsaved: ({ body }) => lists.unsaved(body),
    diffModels: ({ id }) => lists.diff(id),
    applyModels: (call) => lists.apply(call.id, call.body, actorOf(call)),
    testUpstream: async ({ id }) => ({ client_types: await probe(id) }),
  };
}

function bulkHandlers({ copy, batches, tags }: ChannelOps): Omit<Handlers<typeof channelOpsRoutes>, Upstream> {
  return {
    copy: async (call) => ({ id: await copy(call.id, call.query, actorOf(call)) }),
    removeBatch: (call) => batches.remove(call.body.ids, actorOf(call)),
    tagBatch: (call) => batches.tag(call.body.ids, call.body.tag ?? '', actorOf(call)),
    async editTag(call) {
      await tags.edit(call.body, actorOf(call));
    },
    async enableTag(call) {
      await tags.setEnabled(call.body.tag, true, actorOf(call));
    },
    async disableTag(call) {
      await tags.setEnabled(call.body.tag, false, actorOf(call));
    },
    tagModels: ({ query }) => tags.models(query.tag),
    fix: (call) => batches.repair(actorOf(call)),
  };
}
