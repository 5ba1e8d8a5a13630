export { openChannelKey } from './channel-key.ts';
export { type ChannelDeps, type Channels, type ChannelUpdate, createChannels } from './channels.ts';
export { nextChannel, type Tiers } from './select.ts';
export {
  type ChannelRow,
  compileSnapshot,
  type RouteChannel,
  readChannels,
  type Snapshot,
  upstreamModel,
} from './snapshot.ts';
export { createSnapshots, type Snapshots } from './snapshots.ts';
