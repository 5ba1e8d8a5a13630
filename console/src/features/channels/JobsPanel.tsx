import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChannelJob, ChannelJobs } from '@tollgate/contract';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { jobsQuery } from '../../api/channel-ops.ts';
import {
  job_balance_done,
  job_balance_early,
  job_balance_running,
  job_close,
  job_failed,
  job_progress,
  job_succeeded,
  job_test_done,
  job_test_early,
  job_test_running,
  job_title,
  job_unwell,
} from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { ProgressBar } from '../../ui/ProgressBar.tsx';

const texts = {
  test: { running: job_test_running, done: job_test_done, early: job_test_early },
  balance: { running: job_balance_running, done: job_balance_done, early: job_balance_early },
};
export type JobKind = keyof typeof texts;
const kinds: readonly JobKind[] = ['test', 'balance'];

/** A run ends early where its node stops or something breaks. */
function stateOf({ running, done, total }: ChannelJob): 'running' | 'done' | 'early' {
  if (running) return 'running';
  return done < total ? 'early' : 'done';
}

function Run({ kind, job, close }: { kind: JobKind; job: ChannelJob; close(): void }) {
  const title = texts[kind][stateOf(job)]();
  const failed = job.results.filter((result) => !result.success);
  return (
    <div className="flex flex-col gap-1.5 px-3 py-2 not-first:border-t">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3">
        <span aria-live="polite" className="font-medium">
          {title}
        </span>
        <span className="text-muted tabular-nums">{job_progress({ done: job.done, total: job.total })}</span>
        <span className="text-ok tabular-nums">{job_succeeded({ count: job.done - job.failed })}</span>
        {job.failed > 0 && <span className="text-bad tabular-nums">{job_failed({ count: job.failed })}</span>}
        {!job.running && <IconButton icon={X} label={job_close()} size="sm" className="ml-auto" onClick={close} />}
      </div>
      <ProgressBar
        aria-label={title}
        max={job.total || 1}
        // Without a value it only says that something is under way.
        value={job.total > 0 ? job.done : job.running ? undefined : 1}
      />
      {failed.length > 0 && (
        <details>
          <summary className="w-fit leading-6 text-accent">{job_unwell()}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <ul tabIndex={0} className="mt-1 max-h-48 overflow-y-auto">
            {failed.map((result) => (
              <li key={result.id} className="flex gap-3 py-0.5">
                <span className="w-40 shrink-0 truncate max-sm:w-28">
                  #{result.id} {result.name}
                </span>
                <span className="min-w-0 text-muted">{result.message}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

export interface Jobs {
  data: ChannelJobs | undefined;
  shown: ReadonlySet<JobKind>;
  show(kind: JobKind): void;
  hide(kind: JobKind): void;
  refresh(): void;
}

/** The runs over all channels: those under way, whoever started them, and those that ended and were not put away yet. */
export function useJobs(): Jobs {
  const client = useQueryClient();
  const { data, refetch } = useQuery(jobsQuery);
  const [shown, setShown] = useState<ReadonlySet<JobKind>>(new Set());
  const show = (kind: JobKind) => setShown(new Set([...shown, kind]));
  const unseen = kinds.find((kind) => data?.[kind].running && !shown.has(kind));
  if (unseen) show(unseen);
  const underWay = kinds.some((kind) => data?.[kind].running);
  // The rows show what was measured as soon as a run has ended.
  useEffect(() => {
    if (underWay) return () => void client.invalidateQueries({ queryKey: ['channel'] });
  }, [underWay, client]);
  return {
    data,
    shown,
    show,
    hide: (kind) => setShown(new Set([...shown].filter((other) => other !== kind))),
    refresh: () => void refetch(),
  };
}

export function JobsPanel({ jobs: { data, shown, hide } }: { jobs: Jobs }) {
  if (!data || shown.size === 0) return null;
  return (
    <section aria-label={job_title()} className="mb-2 rounded-lg border bg-surface">
      {kinds.map((kind) => shown.has(kind) && <Run key={kind} kind={kind} job={data[kind]} close={() => hide(kind)} />)}
    </section>
  );
}
