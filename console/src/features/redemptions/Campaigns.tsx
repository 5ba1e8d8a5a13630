import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CodeCampaign } from '@tollgate/contract';
import { Ticket } from 'lucide-react';
import {
  col_name,
  redemption_campaigns,
  redemption_campaigns_more,
  redemption_campaigns_text,
  redemption_empty,
  redemption_given,
  redemption_made,
  redemption_status_expired,
  redemption_status_unused,
  redemption_status_used,
  redemption_users,
  redemption_withdrawn,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { Quota } from '../../ui/Quota.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { campaignsQuery } from './queries.ts';

const parent = getRouteApi('/_console/_admin/redemption');

type Row = CodeCampaign & { id: number };

const count = (id: 'made' | 'redeemed' | 'users' | 'open' | 'withdrawn' | 'expired', header: () => string): Column<Row> => ({
  id,
  header,
  end: true,
  cell: (row) => formatUnits(row[id]),
});

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    header: col_name,
    card: 'title',
    clip: true,
    cell: ({ name }) => (
      <Link to="/redemption" search={{ keyword: name }} className="text-accent">
        {name}
      </Link>
    ),
  },
  count('made', redemption_made),
  count('redeemed', redemption_status_used),
  count('users', redemption_users),
  count('open', redemption_status_unused),
  count('withdrawn', redemption_withdrawn),
  count('expired', redemption_status_expired),
  { id: 'given', header: redemption_given, end: true, cell: (row) => <Quota value={row.quota_given} /> },
];

/** /redemption/campaigns: what became of the codes of each name; of those names that the list is narrowed to. */
export function Campaigns() {
  const navigate = parent.useNavigate();
  const { keyword } = parent.useSearch();
  const query = useQuery(campaignsQuery(keyword));
  const clear = () => void navigate({ to: '/redemption/campaigns', search: {} });
  return (
    <Dialog
      title={redemption_campaigns()}
      description={redemption_campaigns_text()}
      wide
      onClose={() => void navigate({ to: '/redemption', search: true })}
    >
      <DataTable
        label={redemption_campaigns()}
        columns={columns}
        rows={query.data?.items}
        state={query}
        size={5}
        empty={keyword ? <NoMatch clear={clear} /> : <EmptyState icon={Ticket} title={redemption_empty()} />}
      />
      {query.data?.hasNext && <p className="mt-2 text-muted">{redemption_campaigns_more()}</p>}
    </Dialog>
  );
}
