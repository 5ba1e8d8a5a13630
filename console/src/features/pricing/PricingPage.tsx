import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Copy, Tags } from 'lucide-react';
import { useMemo, useState } from 'react';
import { countFilters, pageOfAll } from '../../api/page.ts';
import { useSession } from '../../api/session.ts';
import { useMoney } from '../../api/status.ts';
import {
  nav_pricing,
  pricing_banner,
  pricing_banner_visitor,
  pricing_copied,
  pricing_copy,
  pricing_empty,
  pricing_empty_text,
  pricing_formula,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { sortParts } from '../../ui/table/SortHeader.tsx';
import { sortRows } from '../../ui/table/sort.ts';
import { pricingColumns } from './columns.tsx';
import { Filters } from './Filters.tsx';
import { filterModels, modelsIn, type PricedModel, type PriceList, shownGroup } from './model.ts';
import { PricingDetail } from './PricingDetail.tsx';
import { priceListQuery } from './queries.ts';
import { type PricingSearch, readPricingSearch } from './search.ts';

const route = getRouteApi('/_public/pricing');
const isMuted = ({ available }: PricedModel) => !available;
const nothing: PriceList = { items: [], group_ratio: {}, usable_group: {} };

/** Whose prices these are, and how a price comes from its ratios. */
function Banner({ list, group }: { list: PriceList | undefined; group: string }) {
  const session = useSession();
  const { quotaPerUnit } = useMoney();
  const ratio = list?.group_ratio[group] ?? 1;
  const title = list?.usable_group[group];
  const name = title && title !== group ? `${group} (${title})` : group;
  return (
    <section className="mb-3 rounded-lg bg-accent-tint px-4 py-3">
      <p className="font-medium">
        {/* Without the list nobody knows; its line keeps the place. */}
        {list ? (session ? pricing_banner : pricing_banner_visitor)({ group: name, ratio }) : '\u00a0'}
      </p>
      <p className="mt-1 text-muted text-xs">{pricing_formula({ dollars: Number((1e6 / quotaPerUnit).toPrecision(6)) })}</p>
    </section>
  );
}

/** The list in the shown group, narrowed by the search; memoized, since a list may hold thousands of models. */
function useModels(list: PriceList | undefined, group: string, { q, type, provider, hide, sort }: PricingSearch) {
  const { quotaPerUnit } = useMoney();
  const all = useMemo(() => list && modelsIn(list, group, quotaPerUnit), [list, group, quotaPerUnit]);
  const kept = useMemo(() => all && filterModels(all, { q, type, provider, hide }), [all, q, type, provider, hide]);
  return useMemo(() => kept && sortRows(kept, pricingColumns, sort), [kept, sort]);
}

/** /pricing: what calls cost, for visitors and users. */
export function PricingPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const session = useSession();
  const { quotaPerUnit } = useMoney();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const query = useQuery(priceListQuery(session?.id));
  const change = (next: PricingSearch) =>
    void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }), replace: true });
  const list = useListState('pricing', search, change);
  const prices = query.data ?? nothing;
  const group = shownGroup(prices, search.group, session?.group);
  const models = useModels(query.data, group, search);
  const chosen = prices.items.filter((_, index) => selected.has(index + 1)).map(({ model_name }) => model_name);
  const { q, type, provider, hide } = search;
  const active = countFilters({ q, type, provider, hide });
  const clear = () => void navigate({ to: '/pricing', search: { group: search.group, sort: search.sort } });
  return (
    <div className="mx-auto max-w-7xl p-3 max-sm:p-2.5">
      <PageHeader
        title={nav_pricing()}
        active={active}
        clear={clear}
        below
        filters={<Filters list={prices} group={group} search={search} change={change} />}
      >
        <Button
          icon={Copy}
          disabled={chosen.length === 0}
          onClick={() => void copyText(chosen.join(','), pricing_copied({ count: chosen.length }))}
        >
          {pricing_copy({ count: chosen.length })}
        </Button>
      </PageHeader>
      <Banner list={query.data} group={group} />
      <PagedTable
        label={nav_pricing()}
        columns={pricingColumns}
        query={{ ...query, data: models && pageOfAll(models, list.page, list.size) }}
        list={list}
        clear={prices.items.length > 0 && clear}
        empty={<EmptyState icon={Tags} title={pricing_empty()} text={pricing_empty_text()} />}
        options={{
          selection: { ids: selected, onChange: setSelected },
          isMuted,
          sorting: { by: search.sort, onChange: (sort) => change({ sort: readPricingSearch({ sort }).sort }), parts: sortParts },
          detail: (model) => <PricingDetail model={model} list={prices} quotaPerUnit={quotaPerUnit} />,
        }}
      />
    </div>
  );
}
