import { useQuery } from '@tanstack/react-query';
import type { ChannelTimelineEntry } from '@tollgate/contract';
import { useState } from 'react';
import { timelineQuery } from '../../api/routing.ts';
import {
  breaker_key,
  event_actor,
  event_actor_system,
  event_auto_disabled,
  event_auto_enabled,
  event_breaker_closed,
  event_breaker_open,
  event_disabled,
  event_enabled,
  event_evidence,
  event_key_disabled,
  event_key_enabled,
  event_none,
} from '../../i18n/generated/messages.ts';
import { parseRecord } from '../../lib/json.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Time } from '../../ui/Time.tsx';
import { ShortPager } from '../../ui/table/Pager.tsx';
import { reasonText } from '../../ui/task/reasons.ts';

const kinds: Record<ChannelTimelineEntry['kind'], { text: () => string; tone: Tone }> = {
  enabled: { text: event_enabled, tone: 'ok' },
  disabled: { text: event_disabled, tone: 'bad' },
  auto_enabled: { text: event_auto_enabled, tone: 'ok' },
  auto_disabled: { text: event_auto_disabled, tone: 'warn' },
  key_enabled: { text: event_key_enabled, tone: 'ok' },
  key_disabled: { text: event_key_disabled, tone: 'warn' },
  breaker_open: { text: event_breaker_open, tone: 'bad' },
  breaker_closed: { text: event_breaker_closed, tone: 'ok' },
};
const systemActor = 'system';

function Evidence({ text }: { text: string }) {
  const facts = parseRecord(text);
  if (Object.keys(facts).length === 0) return null;
  return (
    <details className="text-xs">
      <summary className="w-fit leading-6 text-accent">{event_evidence()}</summary>
      <pre className="mt-1 overflow-x-auto whitespace-pre-wrap rounded-md bg-sunken p-2">{JSON.stringify(facts, null, 2)}</pre>
    </details>
  );
}

function Entry({ entry }: { entry: ChannelTimelineEntry }) {
  const { text, tone } = kinds[entry.kind] ?? { text: () => entry.kind, tone: 'grey' };
  const actor = entry.actor === systemActor ? event_actor_system() : entry.actor;
  return (
    <li className="border-b py-2 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone}>{text()}</Badge>
        {entry.model && <span>{entry.model}</span>}
        {entry.key_index >= 0 && <span className="text-muted text-xs">{breaker_key({ number: entry.key_index + 1 })}</span>}
        <span className="ml-auto text-muted text-xs">
          {event_actor({ actor })} · <Time seconds={entry.created_at} />
        </span>
      </div>
      {entry.reason && <p className="mt-1">{reasonText(entry.reason)}</p>}
      <Evidence text={entry.evidence} />
    </li>
  );
}

/** Everything that happened to a channel, newest first. */
export function Timeline({ channelId }: { channelId: number }) {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(timelineQuery(channelId, page));
  if (!data) return error ? <LoadError error={error} retry={refetch} /> : <span className="skeleton w-2/5" />;
  if (data.items.length === 0 && page === 1) return <p className="text-muted">{event_none()}</p>;
  return (
    <>
      <ul className="rounded-lg border px-3">
        {data.items.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {(page > 1 || data.hasNext) && <ShortPager page={page} hasNext={data.hasNext} setPage={setPage} />}
    </>
  );
}
