export { affinitySeed, freshSeed } from './affinity.ts';
export { type ChannelBalances, createChannelBalances } from './channel-balance.ts';
export { type ChannelBatches, createChannelBatches } from './channel-batch.ts';
export { createChannelCopy } from './channel-copy.ts';
export { createModelLists, type ModelLists } from './channel-fetch.ts';
export { overrideHeaders } from './channel-headers.ts';
export { type ChannelJobs, createChannelJobs, type Notice } from './channel-jobs.ts';
export { openChannelKey } from './channel-key.ts';
export { type ChannelTags, createChannelTags } from './channel-tags.ts';
export type { ProviderFacts } from './channel-target.ts';
export { type ChannelTests, createChannelTests, type TestCall, type TestReading } from './channel-test.ts';
export { type ChannelDeps, type Channels, type ChannelUpdate, createChannels } from './channels.ts';
export { createRouteExplainer, type RouteExplainer } from './explain.ts';
export { type AttemptRecord, attemptText, describePlan } from './explain-record.ts';
export { createLocalHealth, type Health } from './health.ts';
export { classifyRefusal, coolDownMs, type FailureEvidence, mayTryAnotherKey } from './health-classes.ts';
export { type ChannelEvent, type ChannelSwitch, createChannelSwitch } from './health-switch.ts';
export type { DisableRules } from './health-verdict.ts';
export { breakerNotes, createHealthWatch, type HealthWatch } from './health-watch.ts';
export { createKeyTurns, type KeyTurns, RoutePlan, type Target } from './plan.ts';
export { createUpstreamProbe, type ProbeDialect } from './probe.ts';
export { nextChannel, type Tiers, tiersOf, urnOf } from './select.ts';
export {
  type ChannelCache,
  type ChannelRow,
  compileSnapshot,
  type Route,
  type RouteChannel,
  readChannels,
  readDisabledKeys,
  type Snapshot,
  upstreamModel,
} from './snapshot.ts';
export { createSnapshots, type Snapshots } from './snapshots.ts';
export { createTimeline, type Timeline } from './timeline.ts';
