import { queryOptions, useQuery } from '@tanstack/react-query';
import type { DoctorCheck, DoctorReport } from '@tollgate/contract';
import { CircleCheck, CircleX, RefreshCw, TriangleAlert } from 'lucide-react';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import {
  doctor_again,
  doctor_all_ok,
  doctor_counts,
  doctor_fail,
  doctor_fix,
  doctor_intro,
  doctor_level_ok,
  doctor_passed,
  doctor_todo,
  doctor_warn,
  nav_doctor,
} from '../../i18n/generated/messages.ts';
import { type Language, useLanguage } from '../../i18n/language.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { TextSkeleton } from '../../ui/TextSkeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { groupsOf, worstFirst } from './model.ts';

/** Each group of checks has ten seconds. */
const timeoutMs = 120_000;
/** The server says what it found in the language of the request. */
const doctorQuery = (language: Language) =>
  queryOptions({
    queryKey: ['doctor', language],
    queryFn: ({ signal }) => call(routes.doctor.report, { signal, timeoutMs }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

const looks = {
  ok: { icon: CircleCheck, tone: 'ok', colour: 'text-ok', word: doctor_level_ok },
  warn: { icon: TriangleAlert, tone: 'warn', colour: 'text-warn', word: doctor_warn },
  fail: { icon: CircleX, tone: 'bad', colour: 'text-bad', word: doctor_fail },
} as const;

function Check({ check }: { check: DoctorCheck }) {
  const { icon: Icon, tone, colour, word } = looks[check.level];
  return (
    <li className="flex items-start gap-3 border-b px-4 py-3 last:border-b-0">
      <Icon size={18} aria-hidden className={`mt-px shrink-0 ${colour}`} />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{check.title}</span>
          <code className="text-muted text-xs">{check.id}</code>
        </p>
        <p className="mt-0.5 break-words text-muted">{check.detail}</p>
        {check.level !== 'ok' && (
          <p className="mt-1 break-words">
            <span className="text-muted">{doctor_fix()}</span> {check.fix}
          </p>
        )}
      </div>
      <span className="shrink-0">
        <Badge tone={tone}>{word()}</Badge>
      </span>
    </li>
  );
}

function Summary({ report }: { report: DoctorReport }) {
  const count = (level: DoctorCheck['level']) => report.checks.filter((check) => check.level === level).length;
  const [failed, warned] = [count('fail'), count('warn')];
  return (
    <div className="mb-3 max-w-4xl">
      <Alert tone={failed > 0 ? 'bad' : warned > 0 ? 'warn' : 'info'}>
        {failed + warned === 0 && <strong>{doctor_all_ok()} </strong>}
        {doctor_counts({ passed: count('ok'), warned, failed })} · <Time seconds={report.checked_at} />
      </Alert>
    </div>
  );
}

function Passed({ checks }: { checks: readonly DoctorCheck[] }) {
  return (
    <details className="card mt-3 max-w-4xl">
      <summary className="cursor-pointer px-4 py-3 font-medium">{doctor_passed({ count: checks.length })}</summary>
      {groupsOf(checks).map(({ group, label, members }) => (
        <section key={group} aria-label={label} className="border-t">
          <h2 className="px-4 pt-3 text-muted text-xs">{label}</h2>
          <ul>
            {members.map((check) => (
              <Check key={check.id} check={check} />
            ))}
          </ul>
        </section>
      ))}
    </details>
  );
}

/** /doctor: what is wrong or risky, and what to do about it. For root. */
export function DoctorPage() {
  const query = useQuery(doctorQuery(useLanguage()));
  const { data: report, isFetching, error } = query;
  const wrong = worstFirst(report?.checks ?? []);
  return (
    <div className="max-w-4xl">
      <PageHeader title={nav_doctor()}>
        <Button icon={RefreshCw} pending={isFetching} onClick={() => void query.refetch()}>
          {doctor_again()}
        </Button>
      </PageHeader>
      <p className="mb-3 max-w-3xl text-muted">{doctor_intro()}</p>
      {error && !isFetching ? (
        <LoadError error={error} retry={query.refetch} />
      ) : report ? (
        <div aria-busy={isFetching}>
          <Summary report={report} />
          {wrong.length > 0 && (
            <section aria-label={doctor_todo()} className="card max-w-4xl">
              <ul>
                {wrong.map((check) => (
                  <Check key={check.id} check={check} />
                ))}
              </ul>
            </section>
          )}
          <Passed checks={report.checks.filter(({ level }) => level === 'ok')} />
        </div>
      ) : (
        <TextSkeleton className="card max-w-4xl p-4" />
      )}
    </div>
  );
}
