import type { RouteCandidate, RoutePlanStep } from '@tollgate/contract';
import { ArrowRight } from 'lucide-react';
import { route_key, route_none } from '../../i18n/generated/messages.ts';
import { Badge } from '../Badge.tsx';

interface Props {
  plan: readonly RoutePlanStep[];
  candidates: readonly RouteCandidate[];
}

/** The order of attempts when each of them fails. */
export function PlanChain({ plan, candidates }: Props) {
  if (plan.length === 0) return <p className="text-bad">{route_none()}</p>;
  const names = new Map(candidates.map((candidate) => [candidate.channel_id, candidate.name]));
  return (
    <ol className="flex flex-wrap items-center gap-2">
      {plan.map((step) => (
        <li key={step.order} className="flex min-w-0 items-center gap-2">
          {step.order > 1 && <ArrowRight size={14} aria-hidden className="shrink-0 text-muted" />}
          <span className="flex min-w-0 flex-wrap items-center gap-1.5 rounded-md border bg-surface px-2 py-1">
            <strong className="tabular-nums">{step.order}</strong>
            <span>
              #{step.channel_id} {names.get(step.channel_id)}
            </span>
            {step.key_index > 0 && <span className="text-muted text-xs">{route_key({ number: step.key_index + 1 })}</span>}
            <Badge>{step.group}</Badge>
          </span>
        </li>
      ))}
    </ol>
  );
}
