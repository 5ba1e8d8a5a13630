import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Dashboard, Granularity } from '@tollgate/contract';
import { countFilters } from '../../api/page.ts';
import { selfQuery } from '../../api/self.ts';
import { isAdmin, useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import {
  dash_by_token,
  dash_call_share,
  dash_models,
  dash_models_text,
  dash_read_at,
  dash_unsummed,
  dash_users,
  nav_dashboard,
} from '../../i18n/generated/messages.ts';
import { usePhone } from '../../lib/media.ts';
import { formatNumber } from '../../lib/money.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Card } from '../../ui/Card.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { Time } from '../../ui/Time.tsx';
import type { LoadState } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { Channels } from './Channels.tsx';
import { Consumption } from './Consumption.tsx';
import { modelColumns } from './columns.tsx';
import { Filters, GranularityChoice, lastMonth, Ranges } from './Filters.tsx';
import { logLinkOf } from './links.ts';
import { Nothing } from './Nothing.tsx';
import { dashboardQuery } from './queries.ts';
import { TokenRanks, UserRanks } from './Ranks.tsx';
import { ShareChart } from './ShareChart.tsx';
import { StatCards } from './StatCards.tsx';
import { type DashboardSearch, granularities } from './search.ts';

const route = getRouteApi('/_console/detail');

/** /detail: what was used, how it went, and how the channels are. */
export function DashboardPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const phone = usePhone();
  const forAll = isAdmin(useSession());
  const standard = useStatus()?.data_export_default_time;
  const by: Granularity = search.by ?? granularities.find((known) => known === standard) ?? 'hour';
  const change = (next: DashboardSearch) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true, resetScroll: false });
  const { from, to, model, group, token, user, channel } = search;
  const query = useQuery(dashboardQuery({ from, to, model, group, token, user, channel, by }, forAll));
  const account = useQuery(selfQuery);
  const self = account.data;
  const refresh = () => {
    void query.refetch();
    void account.refetch();
  };
  const dashboard = query.data;
  const link = logLinkOf(search, dashboard ?? { start: from ?? 0, end: to ?? 0 });
  const active = countFilters({ model, group, token, user, channel });
  const clear = () => change({ model: undefined, group: undefined, token: undefined, user: undefined, channel: undefined });
  const range = { from: from ?? dashboard?.start, to: to ?? dashboard?.end };
  return (
    <>
      <PageHeader
        title={nav_dashboard()}
        below
        active={active}
        clear={clear}
        filters={
          <>
            {phone && <Ranges search={search} change={change} />}
            <Filters search={search} change={change} range={range} forAll={forAll} />
          </>
        }
      >
        {!phone && <Ranges search={search} change={change} />}
        <GranularityChoice by={by} search={search} change={change} />
        <RefreshButton onClick={refresh} />
      </PageHeader>
      {!!dashboard?.unsummed && (
        <div className="mb-3">
          <Alert tone="info">{dash_unsummed({ rows: formatNumber(dashboard.unsummed) })}</Alert>
        </div>
      )}
      <StatCards
        self={self}
        isUnknown={account.isError}
        dashboard={dashboard}
        failed={query.isError}
        link={link}
        forAll={forAll}
      />
      {query.error && <LoadError error={query.error} retry={query.refetch} />}
      {query.error && !dashboard?.models.length ? null : dashboard?.models.length === 0 ? (
        <div className="card">
          <Nothing
            filtered={active > 0}
            clear={clear}
            showMonth={() => change(lastMonth())}
            fresh={self?.request_count === 0 && !forAll}
            admin={forAll}
          />
        </div>
      ) : (
        <div aria-busy={query.isPlaceholderData} className={`min-h-dvh ${query.isPlaceholderData ? 'opacity-60' : ''}`}>
          <Charts
            dashboard={dashboard}
            by={by}
            search={search}
            change={change}
            forAll={forAll}
            state={{ ...query, error: null }}
          />
        </div>
      )}
    </>
  );
}

interface ChartsProps {
  dashboard: Dashboard | undefined;
  by: Granularity;
  search: DashboardSearch;
  change(next: DashboardSearch): void;
  forAll: boolean;
  state: LoadState;
}

function Charts({ dashboard, by, search, change, forAll, state }: ChartsProps) {
  if (!dashboard) return <Waiting />;
  const link = logLinkOf(search, dashboard);
  const models = dashboard.models.map((model, index) => ({ ...model, id: index + 1 }));
  const withUsers = forAll && dashboard.users.length > 0;
  const withTokens = dashboard.tokens.length > 0 && search.token === undefined;
  return (
    <div className="flex flex-col gap-3">
      <Consumption dashboard={dashboard} by={by} search={search} change={change} link={link} />
      <div className={`grid gap-3 ${withUsers || withTokens ? 'md:grid-cols-2' : ''}`}>
        <Card title={dash_call_share()}>
          <ShareChart models={dashboard.models} link={link} />
        </Card>
        {withUsers && (
          <Card title={dash_users()}>
            <UserRanks users={dashboard.users} link={link} />
          </Card>
        )}
        {withTokens && (
          <Card title={dash_by_token()}>
            <TokenRanks tokens={dashboard.tokens} link={link} />
          </Card>
        )}
      </div>
      <section>
        <h2 className="mb-1 text-base">{dash_models()}</h2>
        <p className="mb-2 text-muted text-xs">{dash_models_text()}</p>
        <DataTable
          label={dash_models()}
          columns={modelColumns(link)}
          rows={models}
          state={state}
          size={models.length}
          empty={null}
        />
      </section>
      {forAll && <Channels channels={dashboard.channels} link={link} state={state} />}
      <p className="text-muted text-xs">
        {dash_read_at({ minutes: Math.round(dashboard.refresh_seconds / 60) })} <Time seconds={dashboard.read_at} />
      </p>
    </div>
  );
}

/** The place of the charts while they are read, as high as they are. */
function Waiting() {
  return (
    <div aria-busy className="flex flex-col gap-3">
      <div className="card h-96 p-5">
        <span className="skeleton w-40" />
      </div>
      <div className="card h-56 p-5">
        <span className="skeleton w-32" />
      </div>
    </div>
  );
}
