import type { ChannelHealth } from '@tollgate/contract';
import {
  breaker_all_models,
  breaker_class,
  breaker_closed,
  breaker_counts,
  breaker_half_open,
  breaker_key,
  breaker_none,
  breaker_open,
  breaker_rest,
} from '../../i18n/generated/messages.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';

type Breaker = ChannelHealth['breakers'][number];
const phases: Record<Breaker['phase'], { text: () => string; tone: Tone }> = {
  closed: { text: breaker_closed, tone: 'ok' },
  open: { text: breaker_open, tone: 'bad' },
  'half-open': { text: breaker_half_open, tone: 'warn' },
};

/** What is remembered of recent calls, per model and key, on the node that answered. */
export function Breakers({ breakers }: { breakers: readonly Breaker[] }) {
  if (breakers.length === 0) return <p className="text-muted">{breaker_none()}</p>;
  return (
    <ul className="rounded-lg border px-3">
      {breakers.map((breaker) => {
        const { text, tone } = phases[breaker.phase];
        return (
          <li
            key={`${breaker.key_index} ${breaker.model}`}
            className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-b py-1 last:border-0"
          >
            <Badge tone={tone}>{text()}</Badge>
            <span>{breaker.model || breaker_all_models()}</span>
            <span className="text-muted text-xs">{breaker_key({ number: breaker.key_index + 1 })}</span>
            <span className="text-muted text-xs tabular-nums">{breaker_counts({ ok: breaker.ok, bad: breaker.bad })}</span>
            {breaker.rest_ms > 0 && (
              <span className="text-warn text-xs">{breaker_rest({ seconds: Math.ceil(breaker.rest_ms / 1000) })}</span>
            )}
            {breaker.last_class && <span className="text-muted text-xs">{breaker_class({ name: breaker.last_class })}</span>}
          </li>
        );
      })}
    </ul>
  );
}
