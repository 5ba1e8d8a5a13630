import type { Check } from './check.ts';
import { channelChecks } from './checks/channels.ts';
import { engineChecks } from './checks/engine.ts';
import { exposureChecks } from './checks/exposure.ts';
import { hostChecks } from './checks/host.ts';
import { moneyChecks } from './checks/money.ts';
import { nodeChecks } from './checks/nodes.ts';
import { peopleChecks } from './checks/people.ts';
import { settingChecks } from './checks/settings.ts';
import { upkeepChecks } from './checks/upkeep.ts';

/** Every check, in the order in which they are shown. */
export const checks = [
  ...hostChecks,
  ...exposureChecks,
  ...engineChecks,
  ...moneyChecks,
  ...channelChecks,
  ...peopleChecks,
  ...settingChecks,
  ...upkeepChecks,
  ...nodeChecks,
] as readonly Check[];
