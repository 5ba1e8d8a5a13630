import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { countFilters } from '../../api/page.ts';
import {
  audit_actor,
  audit_all,
  audit_col_target,
  audit_empty,
  audit_empty_text,
  log_from,
  log_to,
  nav_audit,
} from '../../i18n/generated/messages.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TimeFilter } from '../../ui/form/TimeFilter.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { auditColumns, Detail } from './columns.tsx';
import { actionFaces } from './model.ts';
import { type AuditRow, auditQuery } from './queries.ts';
import type { AuditSearch } from './search.ts';

const route = getRouteApi('/_console/_root/audit');
const none = { actor: undefined, action: undefined, target: undefined, from: undefined, to: undefined };
const detail = (row: AuditRow) => <Detail row={row} />;

function Filters({ search, change }: { search: AuditSearch; change(next: AuditSearch): void }) {
  return (
    <>
      <TimeFilter label={log_from()} seconds={search.from} onChange={(from) => change({ from })} />
      <TimeFilter label={log_to()} seconds={search.to} onChange={(to) => change({ to })} />
      <SearchField
        label={audit_actor()}
        value={search.actor ?? ''}
        onCommit={(actor) => change({ actor: actor || undefined })}
        className="w-52 max-sm:w-full"
      />
      <SearchField
        label={audit_col_target()}
        value={search.target ?? ''}
        onCommit={(target) => change({ target: target || undefined })}
        className="w-40 max-sm:w-full"
      />
      <select
        className="control w-40 max-sm:w-full"
        aria-label={audit_all()}
        value={search.action ?? ''}
        onChange={(event) => change({ action: event.currentTarget.value || undefined })}
      >
        <option value="">{audit_all()}</option>
        {Object.entries(actionFaces).map(([action, [text]]) => (
          <option key={action} value={action}>
            {text()}
          </option>
        ))}
      </select>
    </>
  );
}

/** /audit: who did what, for root. */
export function AuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: AuditSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('audit', search, change);
  const { actor, action, target, from, to } = search;
  const filter = { actor, action, target, from, to };
  const query = useQuery(auditQuery(filter, list.page, list.size));
  const active = countFilters(filter);
  const clear = () => change(none);
  return (
    <>
      <PageHeader title={nav_audit()} active={active} clear={clear} below filters={<Filters search={search} change={change} />}>
        <RefreshButton onClick={() => void query.refetch()} />
      </PageHeader>
      <PagedTable
        label={nav_audit()}
        columns={auditColumns}
        query={query}
        list={list}
        clear={active > 0 && clear}
        empty={<EmptyState icon={ShieldCheck} title={audit_empty()} text={audit_empty_text()} />}
        options={{ detail }}
      />
    </>
  );
}
