import { Link } from '@tanstack/react-router';
import type { RouteCandidate, RouteExplanation } from '@tollgate/contract';
import { useMemo } from 'react';
import {
  col_actions,
  col_channel,
  col_group,
  col_priority,
  col_weight,
  route_candidates,
  route_col_draw,
  route_col_order,
  route_col_score,
  route_col_state,
  route_exclude,
  route_excluded,
  route_include,
  route_none,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { formatScore, reasonOf } from '../../ui/route/reason.ts';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';

/** A channel may be a candidate in several groups, so rows are counted. */
interface Row extends RouteCandidate {
  id: number;
  order: number | undefined;
}

const settled = { isPending: false, isFetching: false, error: null, refetch: () => undefined };

/** Those that would be tried first, in their order, then those that were left out by hand: there may be a thousand others. */
function rowsOf({ plan, candidates }: RouteExplanation, excluded: readonly number[]): Row[] {
  const rows = candidates.map((candidate, index) => {
    const step = plan.find(({ channel_id, group }) => channel_id === candidate.channel_id && group === candidate.group);
    return { ...candidate, id: index + 1, order: step?.order };
  });
  const rank = ({ order, channel_id }: Row) => order ?? plan.length + (excluded.includes(channel_id) ? 1 : 2);
  return rows.sort((left, right) => rank(left) - rank(right));
}

interface Props {
  answer: RouteExplanation;
  excluded: readonly number[];
  setExcluded(ids: readonly number[]): void;
}

function State({ row, off }: { row: Row; off: boolean }) {
  const { text, tone } = reasonOf(row);
  return <Badge tone={tone}>{off ? route_excluded() : text}</Badge>;
}

function columnsFor({ excluded, setExcluded }: Omit<Props, 'answer'>): Column<Row>[] {
  const isOff = (row: Row) => excluded.includes(row.channel_id);
  const score = (id: keyof RouteCandidate['score'], header: () => string): Column<Row> => ({
    id,
    header,
    end: true,
    cell: (row) => formatScore(row.score[id]),
  });
  return [
    { id: 'order', header: route_col_order, end: true, card: 'corner', cell: (row) => row.order ?? '–' },
    {
      id: 'channel',
      header: col_channel,
      card: 'title',
      clip: true,
      cell: (row) => (
        <Link to="/channel" search={{ keyword: String(row.channel_id) }}>
          #{row.channel_id} {row.name}
        </Link>
      ),
    },
    { id: 'group', header: col_group, cell: (row) => <Badge>{row.group}</Badge> },
    { id: 'state', header: route_col_state, cell: (row) => <State row={row} off={isOff(row)} /> },
    score('priority', col_priority),
    score('weight', col_weight),
    score('draw', route_col_draw),
    score('score', route_col_score),
    {
      id: 'actions',
      header: col_actions,
      end: true,
      card: 'actions',
      cell: (row) =>
        isOff(row) ? (
          <Button size="sm" onClick={() => setExcluded(excluded.filter((id) => id !== row.channel_id))}>
            {route_include()}
          </Button>
        ) : (
          row.in && (
            <Button size="sm" onClick={() => setExcluded([...excluded, row.channel_id])}>
              {route_exclude()}
            </Button>
          )
        ),
    },
  ];
}

/** Every channel that has the model, with what speaks for and against it. */
export function Candidates({ answer, excluded, setExcluded }: Props) {
  const rows = useMemo(() => rowsOf(answer, excluded), [answer, excluded]);
  return (
    <DataTable
      label={route_candidates()}
      columns={columnsFor({ excluded, setExcluded })}
      rows={rows}
      state={settled}
      size={rows.length}
      empty={<p className="p-6 text-center text-muted">{route_none()}</p>}
      options={{ isMuted: (row) => !row.in }}
    />
  );
}
