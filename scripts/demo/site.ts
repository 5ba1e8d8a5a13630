import { type ChannelInput, channelStatus } from '@tollgate/contract';
import { dollar } from './plan.ts';

export type SampleChannel = Partial<ChannelInput> & {
  readonly name: string;
  readonly end?: typeof channelStatus.disabled | typeof channelStatus.autoDisabled;
  readonly responseMs: number;
  /** Dollars at the upstream. */
  readonly balance: number;
};

const openai = 'gpt-4o-mini,gpt-4o,gpt-4.1,gpt-4.1-mini,o4-mini,gpt-5-mini,sora-2';

/** All of them lead to the mock upstream; the types only show how a list looks. */
export const channels: readonly SampleChannel[] = [
  {
    type: 1,
    name: 'Main account',
    tag: 'main',
    priority: 10,
    weight: 8,
    group: 'default,vip,svip',
    models: openai,
    responseMs: 640,
    balance: 182.4,
  },
  {
    type: 1,
    name: 'Second account',
    tag: 'main',
    priority: 10,
    weight: 4,
    group: 'default,vip,svip',
    models: openai,
    responseMs: 710,
    balance: 57.15,
  },
  {
    type: 8,
    name: 'Company gateway',
    tag: 'spare',
    priority: 0,
    weight: 0,
    group: 'default,vip',
    models: 'gpt-4o-mini,gpt-4o,house-assistant',
    model_mapping: '{"house-assistant":"gpt-4o-mini"}',
    responseMs: 1280,
    balance: 0,
  },
  {
    type: 43,
    name: 'Reasoning',
    priority: 5,
    weight: 1,
    group: 'default,vip,svip',
    models: 'deepseek-chat,deepseek-reasoner',
    responseMs: 930,
    balance: 24.9,
  },
  {
    type: 42,
    name: 'European models',
    tag: 'eu',
    priority: 5,
    weight: 1,
    group: 'vip,svip',
    models: 'mistral-large-latest,mistral-small-latest',
    responseMs: 820,
    balance: 0,
  },
  {
    type: 20,
    name: 'Everything else',
    tag: 'spare',
    priority: -5,
    weight: 0,
    group: 'default,vip,svip',
    models: 'gpt-4o-mini,deepseek-chat,grok-3,claude-sonnet-4-20250514',
    responseMs: 1490,
    balance: 8.02,
  },
  {
    type: 5,
    name: 'Drawings',
    priority: 0,
    weight: 1,
    group: 'default,vip,svip',
    models: 'mj_imagine,mj_upscale,mj_variation,mj_describe',
    responseMs: 1140,
    balance: 12.5,
  },
  {
    type: 36,
    name: 'Music',
    priority: 0,
    weight: 1,
    group: 'default,vip,svip',
    models: 'suno_music,suno_lyrics',
    responseMs: 980,
    balance: 7.4,
  },
  {
    type: 25,
    name: 'Long documents',
    priority: 0,
    weight: 1,
    group: 'default',
    models: 'moonshot-v1-8k',
    end: channelStatus.disabled,
    responseMs: 2210,
    balance: 3.3,
  },
  {
    type: 8,
    name: 'Old proxy',
    tag: 'spare',
    priority: 0,
    weight: 2,
    group: 'default',
    models: 'gpt-4o-mini',
    end: channelStatus.autoDisabled,
    responseMs: 8400,
    balance: 0,
  },
];

export const options = {
  SystemName: 'Tollgate Demo',
  Notice: '这是演示站点：所有数据都是示例，退出后即删除。\n\nA demo: all data is made up and gone when it ends.',
  GroupRatio: { default: 1, vip: 0.8, svip: 0.6 },
  GroupGroupRatio: { svip: { vip: 0.7 } },
  UserUsableGroups: { default: '默认分组', vip: 'vip分组', auto: '自动选择' },
  AutoGroups: ['vip', 'default'],
  ModelPrice: { 'house-assistant': 0.002 },
  QuotaForNewUser: dollar / 5,
  QuotaForInviter: dollar / 10,
  QuotaForInvitee: dollar / 10,
} as const;
