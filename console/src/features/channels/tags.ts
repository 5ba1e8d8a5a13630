import { type Channel, channelStatus } from '@tollgate/contract';

/** All channels of a tag as one row. Its id is negative and follows from theirs, so that it never meets a channel's. */
export interface TagRow {
  id: number;
  tag: string;
  channels: readonly Channel[];
}
export type ChannelRow = Channel | TagRow;
export const isTagRow = (row: ChannelRow): row is TagRow => 'channels' in row;

/** One row per tag, in the order of the list. */
export function tagRowsOf(channels: readonly Channel[]): TagRow[] {
  return [...Map.groupBy(channels, (channel) => channel.tag)].map(([tag, members]) => ({
    id: -Math.min(...members.map(({ id }) => id)),
    tag,
    channels: members,
  }));
}

interface TagFigures {
  enabled: number;
  usedQuota: number;
  /** Mean of those that were tested; 0 when none was. */
  responseMs: number;
  /** Of the last test of any of them. */
  testTime: number;
  /** Absent when they differ. */
  priority?: number;
  weight?: number;
}

const shared = (values: readonly number[]): number | undefined => (new Set(values).size === 1 ? values[0] : undefined);

/** What the row of a tag says of its channels. */
export function figuresOf(channels: readonly Channel[]): TagFigures {
  const tested = channels.map((channel) => channel.response_time).filter((time) => time > 0);
  const total = tested.reduce((sum, time) => sum + time, 0);
  return {
    enabled: channels.filter((channel) => channel.status === channelStatus.enabled).length,
    usedQuota: channels.reduce((sum, channel) => sum + channel.used_quota, 0),
    responseMs: tested.length > 0 ? Math.round(total / tested.length) : 0,
    testTime: Math.max(0, ...channels.map((channel) => channel.test_time)),
    priority: shared(channels.map((channel) => channel.priority)),
    weight: shared(channels.map((channel) => channel.weight)),
  };
}
