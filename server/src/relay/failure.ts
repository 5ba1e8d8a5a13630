import { providerOf } from '../providers/index.ts';
import type { DisableRules, Target } from '../routing/index.ts';
import type { Options } from '../settings/index.ts';
import type { RelayFault } from './faults.ts';

/** When a failure may switch its channel or key off. `saidByCaller`: the caller's own words prove nothing. */
export function disableRules(options: Options, target: Target, saidByCaller: (text: string) => boolean): DisableRules {
  return {
    enabled: options.AutomaticDisableChannelEnabled,
    autoBan: target.channel.autoBan,
    keywords: options.AutomaticDisableKeywords,
    keyRefusals: providerOf(target.channel.type)?.keyRefusals,
    saidByCaller,
  };
}

const maxError = 200;

/** A failed attempt in the record of its call, for administrators. */
export function describe({ evidence, code, message, detail }: RelayFault): string {
  return `${evidence?.class ?? 'local'} ${code}: ${message}${detail && ` (${detail})`}`.slice(0, maxError);
}
