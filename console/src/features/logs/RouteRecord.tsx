import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RouteAttempt, RouteRecord as RouteRecordData } from '@tollgate/contract';
import { routeRecordQuery } from '../../api/routing.ts';
import {
  col_channel,
  col_group,
  col_priority,
  col_weight,
  log_upstream_request,
  request_id_copy,
  route_attempts,
  route_candidates,
  route_col_error,
  route_col_first,
  route_col_order,
  route_col_score,
  route_col_state,
  route_col_status,
  route_col_time,
  route_key,
  route_more,
  route_plan,
  route_plan_text,
  route_record_none,
  route_strayed,
  route_version,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { BillHead } from '../../ui/BillHead.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { PlanChain } from '../../ui/route/PlanChain.tsx';
import { formatScore, reasonOf } from '../../ui/route/reason.ts';
import { ReadPart } from './ReadPart.tsx';
import { Waterfall } from './Waterfall.tsx';

function ChannelLink({ id, name }: { id: number; name: string }) {
  return (
    <Link to="/channel" search={{ keyword: String(id) }}>
      #{id} {name}
    </Link>
  );
}

function AttemptRow({ attempt, order, name }: { attempt: RouteAttempt; order: number; name: string }) {
  const failed = attempt.error !== '';
  return (
    <tr>
      <td>{order}</td>
      <td>
        <ChannelLink id={attempt.channel_id} name={name} />{' '}
        {attempt.key_index > 0 && route_key({ number: attempt.key_index + 1 })}
      </td>
      <td>
        <Badge tone={failed ? 'bad' : 'ok'}>{attempt.status || '–'}</Badge>
      </td>
      <td>{attempt.error || '–'}</td>
      <td>{attempt.ms} ms</td>
      <td>{attempt.ttfb_ms >= 0 ? `${attempt.ttfb_ms} ms` : '–'}</td>
      <td>
        {attempt.upstream_request_id ? (
          <span className="inline-flex items-center gap-1">
            <code className="break-all text-xs">{attempt.upstream_request_id}</code>
            <CopyButton text={attempt.upstream_request_id} label={request_id_copy()} />
          </span>
        ) : (
          '–'
        )}
      </td>
    </tr>
  );
}

function Attempts({ record }: { record: RouteRecordData }) {
  const names = new Map(record.candidates.map((candidate) => [candidate.channel_id, candidate.name]));
  const heads = [
    route_col_order,
    col_channel,
    route_col_status,
    route_col_error,
    route_col_time,
    route_col_first,
    log_upstream_request,
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table className="bill bill-start whitespace-nowrap tabular-nums" aria-label={route_attempts()}>
        <BillHead heads={heads.map((head) => head())} />
        <tbody>
          {record.attempts.map((attempt, index) => (
            <AttemptRow
              // biome-ignore lint/suspicious/noArrayIndexKey: the record of a past call never changes
              key={index}
              attempt={attempt}
              order={index + 1}
              name={names.get(attempt.channel_id) ?? ''}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Candidates({ record }: { record: RouteRecordData }) {
  const heads = [col_channel, col_group, route_col_state, col_priority, col_weight, route_col_score];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table className="bill bill-start whitespace-nowrap tabular-nums" aria-label={route_candidates()}>
        <BillHead heads={heads.map((head) => head())} />
        <tbody>
          {record.candidates.map((candidate) => (
            <tr key={`${candidate.group} ${candidate.channel_id}`}>
              <td>
                <ChannelLink id={candidate.channel_id} name={candidate.name} />
              </td>
              <td>{candidate.group}</td>
              <td>
                <Badge tone={reasonOf(candidate).tone}>{reasonOf(candidate).text}</Badge>
              </td>
              <td>{candidate.score.priority}</td>
              <td>{candidate.score.weight}</td>
              <td>{formatScore(candidate.score.score)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {record.more_candidates > 0 && <p className="text-muted">{route_more({ count: record.more_candidates })}</p>}
    </div>
  );
}

/** What was decided for a real call, and what came of it. */
export function RouteRecord({ logId }: { logId: number }) {
  return (
    <ReadPart query={useQuery(routeRecordQuery(logId))} none={route_record_none()}>
      {(record) => <Record record={record} />}
    </ReadPart>
  );
}

function Record({ record }: { record: RouteRecordData }) {
  const { group, model, seed, version, strayed } = record;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <section>
        <h2 className="mb-1 font-semibold text-sm">{route_attempts()}</h2>
        {strayed && <p className="mb-1.5">{route_strayed({ channel: strayed.channel_id, reason: reasonOf(strayed).text })}</p>}
        <Waterfall attempts={record.attempts} />
        <Attempts record={record} />
      </section>
      <section>
        <h2 className="mb-1 font-semibold text-sm">{route_plan()}</h2>
        <p className="mb-1.5 text-muted text-xs">
          {route_plan_text({ group, model, seed })} · {route_version({ version })}
        </p>
        <PlanChain plan={record.plan} candidates={record.candidates} />
      </section>
      <section>
        <h2 className="mb-1 font-semibold text-sm">{route_candidates()}</h2>
        <Candidates record={record} />
      </section>
    </div>
  );
}
