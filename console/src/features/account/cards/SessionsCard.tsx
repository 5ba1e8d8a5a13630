import { useQuery } from '@tanstack/react-query';
import type { SessionEntry } from '@tollgate/contract';
import { LogOut, Monitor, Smartphone } from 'lucide-react';
import {
  sessions_current,
  sessions_device,
  sessions_end,
  sessions_end_all,
  sessions_end_all_text,
  sessions_end_all_title,
  sessions_ended,
  sessions_ended_all,
  sessions_seen,
  sessions_text,
  sessions_title,
  sessions_unknown,
} from '../../../i18n/generated/messages.ts';
import { languageTag } from '../../../i18n/language.ts';
import { formatRelative, formatTime, nowSeconds } from '../../../lib/time.ts';
import { readUserAgent } from '../../../lib/user-agent.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Unread } from '../../../ui/LoadError.tsx';
import { notify, notifyError } from '../../../ui/notify.ts';
import { confirm } from '../../../ui/overlays.ts';
import { sessionsQuery, useOtherSessionsEnd, useSessionEnd } from '../queries.ts';

function deviceOf(session: SessionEntry): string {
  const { browser, system } = readUserAgent(session.user_agent);
  return browser && system ? sessions_device({ browser, system }) : browser || system || sessions_unknown();
}

function Row({ session }: { session: SessionEntry }) {
  const end = useSessionEnd();
  const device = deviceOf(session);
  const Icon = /Mobile|Android/.test(session.user_agent) ? Smartphone : Monitor;
  const seen = formatRelative(session.last_seen_time, nowSeconds(), languageTag());
  return (
    <li className="flex min-h-11 items-center gap-3 py-1">
      <Icon size={18} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {device}
          {session.current && <Badge tone="ok">{sessions_current()}</Badge>}
        </p>
        <p className="text-muted text-xs" data-tip={formatTime(session.last_seen_time)}>
          {`${session.ip} · ${sessions_seen({ time: seen })}`}
        </p>
      </div>
      {!session.current && (
        <IconButton
          icon={LogOut}
          label={sessions_end({ device })}
          size="sm"
          tone="bad"
          onClick={() => end.mutate(session.id, { onError: notifyError, onSuccess: () => notify('ok', sessions_ended()) })}
        />
      )}
    </li>
  );
}

/** Where this user is signed in. */
export function SessionsCard() {
  const query = useQuery(sessionsQuery);
  const { data = [] } = query;
  const endOthers = useOtherSessionsEnd();
  const endAll = async () => {
    const sure = await confirm({
      title: sessions_end_all_title(),
      text: sessions_end_all_text(),
      confirmLabel: sessions_end_all(),
      tone: 'bad',
    });
    if (sure)
      endOthers.mutate(undefined, {
        onError: notifyError,
        onSuccess: (count) => notify('ok', sessions_ended_all({ count })),
      });
  };
  return (
    <Card title={sessions_title()} text={sessions_text()}>
      <Unread query={query} />
      <ul className="-mt-1 flex flex-col divide-y divide-line">
        {data.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </ul>
      {data.length > 1 && (
        <Button icon={LogOut} className="mt-2" pending={endOthers.isPending} onClick={() => void endAll()}>
          {sessions_end_all()}
        </Button>
      )}
    </Card>
  );
}
