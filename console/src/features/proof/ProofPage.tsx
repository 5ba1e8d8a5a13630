import { useQuery } from '@tanstack/react-query';
import type { LedgerProof, LedgerState } from '@tollgate/contract';
import { CircleCheck, CircleX, RefreshCw } from 'lucide-react';
import {
  nav_ledger,
  proof_again,
  proof_bad,
  proof_checked_at,
  proof_count,
  proof_difference,
  proof_hourly,
  proof_intro,
  proof_ok,
  proof_running,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { LoadError, Unread } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { TextSkeleton } from '../../ui/TextSkeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { checkText } from './model.ts';
import { Owed } from './Owed.tsx';
import { proofQuery, stateQuery } from './queries.ts';
import { useElapsed } from './useElapsed.ts';

function Check({ check }: { check: LedgerProof['checks'][number] }) {
  const Icon = check.ok ? CircleCheck : CircleX;
  return (
    <li className="flex items-start gap-3 border-b px-4 py-3 last:border-b-0">
      <Icon size={18} aria-hidden className={`mt-px shrink-0 ${check.ok ? 'text-ok' : 'text-bad'}`} />
      <div className="min-w-0 grow">
        <p>{checkText(check)}</p>
        <code className="text-muted text-xs">{check.name}</code>
        {check.first_difference && (
          <p className="mt-1 break-words text-bad">{proof_difference({ difference: check.first_difference })}</p>
        )}
      </div>
      <span className="shrink-0">
        <Badge tone={check.ok ? 'ok' : 'bad'}>{check.ok ? proof_ok() : proof_bad()}</Badge>
      </span>
    </li>
  );
}

function Summary({ proof }: { proof: LedgerProof }) {
  const failed = proof.checks.filter(({ ok }) => !ok).length;
  return (
    <div className="mb-3 max-w-4xl">
      <Alert tone={proof.ok ? 'info' : 'bad'}>
        <strong>{proof.ok ? proof_ok() : proof_bad()}</strong> {proof_count({ passed: proof.checks.length - failed, failed })} ·{' '}
        {proof_checked_at()} <Time seconds={proof.checked_at} />
      </Alert>
    </div>
  );
}

/** What the proof found that the site runs by itself. */
function Hourly({ hourly: { ok, checked_at, difference } }: { hourly: NonNullable<LedgerState['hourly']> }) {
  return (
    <div className="mb-3">
      <Alert tone={ok ? 'info' : 'bad'}>
        <strong>{ok ? proof_ok() : proof_bad()}</strong> {proof_hourly()}{' '}
        <span className="max-sm:block">
          <Time seconds={checked_at} />
        </span>
        {!ok && <p className="break-words">{proof_difference({ difference })}</p>}
      </Alert>
    </div>
  );
}

/** How long the check has been at it. */
function Progress() {
  const seconds = useElapsed();
  return (
    <p role="status" className="mb-3 text-muted">
      {proof_running({ seconds })}
    </p>
  );
}

function Checks({ proof, busy }: { proof: LedgerProof | undefined; busy: boolean }) {
  return (
    <section aria-label={nav_ledger()} aria-busy={busy} className="card relative">
      {busy && <div className="progress-line rounded-t-lg" />}
      {proof ? (
        <ul>
          {proof.checks.map((check) => (
            <Check key={check.name} check={check} />
          ))}
        </ul>
      ) : (
        <TextSkeleton className="p-4" />
      )}
    </section>
  );
}

/** /ledger: do the books agree, and what do they say is owed? What is known shows at once; all of it is read on request. For root. */
export function ProofPage() {
  const state = useQuery(stateQuery);
  const { hourly } = state.data ?? {};
  const query = useQuery({ ...proofQuery, enabled: state.isFetched && !hourly });
  const { data: proof, isFetching, error } = query;
  return (
    <div className="max-w-4xl">
      <PageHeader title={nav_ledger()}>
        <Button icon={RefreshCw} pending={isFetching} onClick={() => void query.refetch()}>
          {proof_again()}
        </Button>
      </PageHeader>
      <p className="mb-3 max-w-3xl text-muted">{proof_intro()}</p>
      {isFetching && <Progress />}
      {state.isPending && <div className="skeleton mb-3 h-9 max-sm:h-14" />}
      {proof && !isFetching ? <Summary proof={proof} /> : hourly && <Hourly hourly={hourly} />}
      {error && !isFetching ? (
        <LoadError error={error} retry={query.refetch} />
      ) : (
        (proof || isFetching) && <Checks proof={proof} busy={isFetching} />
      )}
      <div className="mt-3">
        {state.data && <Owed state={state.data} />}
        {state.isPending && (
          <div aria-busy className="card h-80 p-5">
            <span className="skeleton w-40" />
          </div>
        )}
        <Unread query={state} />
      </div>
    </div>
  );
}
