import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { RouteExplanation } from '@tollgate/contract';
import { RefreshCw, Waypoints } from 'lucide-react';
import { explainQuery } from '../../api/routing.ts';
import {
  route_again,
  route_candidates,
  route_empty,
  route_more,
  route_plan,
  route_plan_text,
  route_score_note,
  route_title,
} from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { PlanChain } from '../../ui/route/PlanChain.tsx';
import { Candidates } from './Candidates.tsx';
import { explainInputOf } from './input.ts';
import { Question } from './Question.tsx';
import { excludedOf, type RouteSearch } from './search.ts';

const route = getRouteApi('/_console/_admin/route');
/** Never asked: `enabled` is off while there is no question. */
const nothing = { group: '', model: '', exclude: [] };

interface AnswerProps {
  answer: RouteExplanation;
  excluded: readonly number[];
  setExcluded(ids: readonly number[]): void;
  /** Absent while the draw is held. */
  again(): void;
}

function Answer({ answer, excluded, setExcluded, again }: AnswerProps) {
  const { plan, candidates, more_candidates: more, group, model, seed } = answer;
  return (
    <>
      <section aria-label={route_plan()} aria-live="polite" className="card mt-3 p-3">
        <div className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="text-base">{route_plan()}</h2>
          <span className="text-muted text-xs">{route_plan_text({ group, model, seed })}</span>
          <IconButton icon={RefreshCw} label={route_again()} className="ml-auto" onClick={again} />
        </div>
        <PlanChain plan={plan} candidates={candidates} />
      </section>
      <div className="mt-4 mb-2 flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-base">{route_candidates()}</h2>
        <span className="text-muted text-xs">{route_score_note()}</span>
      </div>
      <Candidates answer={answer} excluded={excluded} setExcluded={setExcluded} />
      {more > 0 && <p className="mt-2 text-muted">{route_more({ count: more })}</p>}
    </>
  );
}

/** /route: why a call would go where it goes, without making it. */
export function RoutePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const input = explainInputOf(search);
  const query = useQuery({ ...explainQuery(input ?? nothing), enabled: input !== undefined });
  const go = (next: RouteSearch) => void navigate({ to: '/route', search: next });
  const answer = input && query.data;
  const again = () => (search.seed === undefined ? void query.refetch() : go({ ...search, seed: undefined }));
  const setExcluded = (ids: readonly number[]) =>
    go({ ...search, exclude: ids.join(',') || undefined, seed: search.seed ?? query.data?.seed });
  return (
    <>
      <PageHeader title={route_title()} />
      <Question key={JSON.stringify({ ...search, exclude: '', seed: '' })} search={search} ask={go} pending={query.isFetching} />
      {/* As high as the page at least, so that the footer does not jump when the answer is here. */}
      <div className="min-h-dvh">
        {query.error ? (
          <LoadError error={query.error} retry={query.refetch} />
        ) : answer ? (
          <Answer answer={answer} excluded={excludedOf(search.exclude)} setExcluded={setExcluded} again={again} />
        ) : input ? (
          <div aria-busy className="card mt-3 h-40 p-3">
            <span className="skeleton w-1/4" />
          </div>
        ) : (
          <EmptyState icon={Waypoints} title={route_title()} text={route_empty()} />
        )}
      </div>
    </>
  );
}
