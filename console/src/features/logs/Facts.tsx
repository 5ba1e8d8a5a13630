import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type LogEntry, logType } from '@tollgate/contract';
import { Fragment, type ReactNode } from 'react';
import { routeRecordQuery } from '../../api/routing.ts';
import {
  col_channel,
  col_details,
  col_ip,
  col_user,
  log_attempts,
  log_error_cause,
  log_error_code,
  log_error_status,
  log_error_told,
  log_first_token,
  log_upstream,
  log_upstream_request,
  request_id_copy,
  request_id_label,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { billingOf, errorOf } from './billing.ts';
import { contentOf } from './content.ts';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-3">
      <dt className="flex min-h-7 w-24 shrink-0 items-center text-muted max-sm:w-20">{name}</dt>
      <dd className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
    </div>
  );
}

function CopiedCode({ text }: { text: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <code className="break-all text-xs">{text}</code>
      <CopyButton text={text} label={request_id_copy()} />
    </span>
  );
}

const ChannelNumber = ({ id }: { id: number | string }) => (
  <Link to="/channel" search={{ keyword: String(id) }}>
    #{id}
  </Link>
);

/** The ids under which the upstreams know the attempts, for those who ask them what happened. */
function UpstreamIds({ logId }: { logId: number }) {
  const { data } = useQuery(routeRecordQuery(logId));
  const ids = [...new Set(data?.attempts.map((attempt) => attempt.upstream_request_id))].filter((id) => id !== '');
  if (ids.length === 0) return null;
  return (
    <Fact name={log_upstream_request()}>
      {ids.map((id) => (
        <CopiedCode key={id} text={id} />
      ))}
    </Fact>
  );
}

function ErrorFacts({ entry }: { entry: LogEntry }) {
  const { code, status, cause } = errorOf(entry);
  return (
    <>
      {(code || status > 0) && (
        <Fact name={log_error_code()}>
          {code && <code className="text-xs">{code}</code>}{' '}
          {status > 0 && <Badge tone="bad">{log_error_status({ status })}</Badge>}
        </Fact>
      )}
      {entry.content && <Fact name={log_error_told()}>{contentOf(entry)}</Fact>}
      {cause && <Fact name={log_error_cause()}>{cause}</Fact>}
    </>
  );
}

/** What is known of a row beside its price. Channels and what upstreams said are for administrators. */
export function Facts({ entry, admin }: { entry: LogEntry; admin: boolean }) {
  const { channels, upstreamModel, firstByteMs } = billingOf(entry);
  const failed = entry.type === logType.error;
  return (
    <dl className="min-w-0">
      {entry.request_id && (
        <Fact name={request_id_label()}>
          <CopiedCode text={entry.request_id} />
        </Fact>
      )}
      {entry.ip && (
        <Fact name={col_ip()}>
          <Link from="/log" to="/log" search={(old) => ({ ...old, p: undefined, before: undefined, ip: entry.ip })}>
            {entry.ip}
          </Link>
        </Fact>
      )}
      {failed && admin && entry.channel > 0 && <UpstreamIds logId={entry.id} />}
      {admin && entry.user_id > 0 && (
        <Fact name={col_user()}>
          {entry.username} <span className="text-muted">#{entry.user_id}</span>
        </Fact>
      )}
      {entry.channel > 0 && (
        <Fact name={col_channel()}>
          <ChannelNumber id={entry.channel} /> {entry.channel_name}
        </Fact>
      )}
      {channels.length > 0 && (
        <Fact name={log_attempts()}>
          {channels.map((id, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a past call's attempts never change
            <Fragment key={index}>
              {index > 0 && <span aria-hidden>→</span>}
              <ChannelNumber id={id} />
            </Fragment>
          ))}
        </Fact>
      )}
      {upstreamModel && <Fact name={log_upstream()}>{upstreamModel}</Fact>}
      {firstByteMs !== undefined && <Fact name={log_first_token()}>{(firstByteMs / 1000).toFixed(3)} s</Fact>}
      {failed ? <ErrorFacts entry={entry} /> : entry.content && <Fact name={col_details()}>{contentOf(entry)}</Fact>}
    </dl>
  );
}
