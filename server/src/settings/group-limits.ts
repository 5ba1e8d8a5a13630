import { type CallLimits, misfitOfLimits } from '@tollgate/contract';
import { entriesOf, json, type OptionKind, OptionRefused } from './kinds.ts';

/**
 * Group -> its limits, as the operator wrote them: `{"vip":{"rpm":60,"quota_day":500000}}`. Strict, since a member that
 * is not understood would be a limit that is believed in and does not hold.
 */
export function groupLimits(): OptionKind<Readonly<Record<string, Partial<CallLimits>>>> {
  return json<Readonly<Record<string, Partial<CallLimits>>>>(
    {},
    (value) => Object.fromEntries(entriesOf(value).map(([group, limits]) => [group, readLimits(group, limits)])),
    (groups) => groups,
  );
}

function readLimits(group: string, limits: unknown): Partial<CallLimits> {
  const misfit = misfitOfLimits(limits);
  if (misfit !== undefined) throw new OptionRefused('option_invalid', { detail: `GroupLimits: ${group}: ${misfit}` });
  return Object.fromEntries(entriesOf(limits)) as Partial<CallLimits>;
}
