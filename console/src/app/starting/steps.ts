import type { Channel, User } from '@tollgate/contract';
import {
  starting_call,
  starting_channel,
  starting_password,
  starting_price,
  starting_test,
  starting_token,
} from '../../i18n/generated/messages.ts';

/** What the server says of a young installation. */
export interface Facts {
  channels: readonly Pick<Channel, 'test_time' | 'response_time'>[];
  /** Models that enabled channels serve without a price. */
  unpriced: readonly string[];
  tokens: number;
  self: Pick<User, 'request_count'>;
}

export const nothingYet: Facts = { channels: [], unpriced: [], tokens: 0, self: { request_count: 0 } };

export interface Step {
  key: 'password' | 'channel' | 'test' | 'price' | 'token' | 'call';
  label: () => string;
  done: boolean;
  to: '/setting' | '/channel/add' | '/channel' | '/token/add' | '/playground';
  hash?: string;
  /** Some models lack a price. */
  unpriced?: boolean;
}

/** The way to the first call, each step with whether it is behind. */
export function stepsOf({ channels, unpriced, tokens, self }: Facts): Step[] {
  const hasChannel = channels.length > 0;
  return [
    // The server lets nobody in here who has to change it.
    { key: 'password', label: starting_password, done: true, to: '/setting' },
    { key: 'channel', label: starting_channel, done: hasChannel, to: '/channel/add' },
    {
      ...{ key: 'test', label: starting_test, to: '/channel' },
      done: channels.some((channel) => channel.test_time > 0 && channel.response_time > 0),
    },
    {
      ...{ key: 'price', label: starting_price, to: '/setting', hash: 'prices', unpriced: unpriced.length > 0 },
      done: hasChannel && unpriced.length === 0,
    },
    { key: 'token', label: starting_token, done: tokens > 0, to: '/token/add' },
    { key: 'call', label: starting_call, done: self.request_count > 0, to: '/playground' },
  ];
}
