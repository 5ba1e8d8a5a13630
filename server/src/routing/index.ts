export { affinitySeed, freshSeed } from './affinity.ts';
export { openChannelKey } from './channel-key.ts';
export { type ChannelDeps, type Channels, type ChannelUpdate, createChannels } from './channels.ts';
export { createRouteExplainer, type RouteExplainer } from './explain.ts';
export { type AttemptRecord, type CompactRoute, compactAttempt, describePlan } from './explain-record.ts';
export { createLocalHealth, type Health } from './health.ts';
export { classifyRefusal, coolDownMs, type FailureEvidence, mayTryAnotherKey } from './health-classes.ts';
export { type ChannelEvent, type ChannelSwitch, createChannelSwitch } from './health-switch.ts';
export { type DisableRules, disableReason } from './health-verdict.ts';
export { breakerNotes, createHealthWatch, type HealthWatch } from './health-watch.ts';
export { createKeyTurns, type KeyTurns, RoutePlan, type Target } from './plan.ts';
export { nextChannel, type Tiers, tiersOf, urnOf } from './select.ts';
export {
  type ChannelRow,
  compileSnapshot,
  type Route,
  type RouteChannel,
  readChannels,
  readDisabledKeys,
  routeChannel,
  type Snapshot,
  upstreamModel,
} from './snapshot.ts';
export { createSnapshots, type Snapshots } from './snapshots.ts';
export { createTimeline, recordHappening, type Timeline } from './timeline.ts';
