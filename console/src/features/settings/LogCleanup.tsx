import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import {
  action_delete,
  settings_cleanup,
  settings_cleanup_confirm,
  settings_cleanup_done,
  settings_cleanup_failed,
  settings_cleanup_missing,
  settings_cleanup_progress,
  settings_cleanup_text,
  settings_cleanup_time,
  settings_cleanup_title,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { formatTime, parseTime } from '../../lib/time.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { DateTimeInput } from '../../ui/form/DateTimeInput.tsx';
import { notify, notifyErrorAs } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { ProgressBar } from '../../ui/ProgressBar.tsx';

const pollMs = 1000;

/** How many rows a deletion would take: exact up to 10,000, then at least so many. */
async function countBefore(seconds: number): Promise<string> {
  const query = { p: 1, page_size: 1, end_timestamp: seconds };
  const { total, total_capped } = await call(routes.log.list, { query });
  return `${formatUnits(total)}${total_capped ? '+' : ''}`;
}

/** The deletion on the server, asked for while it runs; tells when it has ended. */
function useProgress() {
  const query = useQuery({
    queryKey: ['options', 'cleanup'],
    queryFn: ({ signal }) => call(routes.log.removal, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
  });
  const running = query.data?.running === true;
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !running && query.data) {
      const { deleted, failed } = query.data;
      const count = formatUnits(deleted);
      if (failed) notify('bad', settings_cleanup_failed({ reason: settings_cleanup_done({ count }) }));
      else notify('ok', settings_cleanup_done({ count }));
    }
    was.current = running;
  }, [running, query.data]);
  return {
    data: query.data,
    running,
    /** A short one may have ended before it was asked for. */
    started() {
      was.current = true;
      void query.refetch();
    },
  };
}

/** Deletes old logs: asks for the time, shows how many, and how far it is. */
export function LogCleanup() {
  const [time, setTime] = useState('');
  const [missing, setMissing] = useState(false);
  const progress = useProgress();
  const start = useMutation({
    mutationFn: async (seconds: number) => {
      const count = await countBefore(seconds);
      const question = {
        title: settings_cleanup_title({ time: formatTime(seconds) }),
        text: settings_cleanup_confirm({ count }),
        confirmLabel: action_delete(),
        tone: 'bad',
      } as const;
      if (!(await confirm(question))) return;
      await call(routes.log.remove, { query: { target_timestamp: seconds, background: 'true' } });
      progress.started();
    },
    onError: notifyErrorAs((reason) => settings_cleanup_failed({ reason })),
  });
  const seconds = parseTime(time);
  const run = () => {
    setMissing(seconds === undefined);
    if (seconds !== undefined) start.mutate(seconds);
  };
  const { deleted = 0, total = 0 } = progress.data ?? {};
  return (
    <div className="mt-4 border-t pt-4">
      <h3 className="font-medium">{settings_cleanup()}</h3>
      <p className="mb-2 text-muted text-xs">{settings_cleanup_text()}</p>
      <div className="flex flex-wrap items-end gap-2">
        <Field
          className="w-60 max-sm:w-full"
          label={settings_cleanup_time()}
          error={missing ? settings_cleanup_missing() : undefined}
        >
          {(control) => (
            <DateTimeInput
              control={control}
              value={time}
              onChange={(next) => {
                setTime(next);
                setMissing(false);
              }}
            />
          )}
        </Field>
        <Button
          tone="bad"
          pending={start.isPending || progress.running}
          // Beside the field, also above what it lacks.
          className={missing ? 'mb-5' : ''}
          onClick={run}
        >
          {settings_cleanup()}
        </Button>
      </div>
      {progress.running && (
        <div className="mt-2" role="status">
          <ProgressBar max={Math.max(1, total)} value={deleted} aria-label={settings_cleanup()} />
          <p className="text-muted text-xs">
            {settings_cleanup_progress({ count: `${formatUnits(deleted)} / ${formatUnits(total)}` })}
          </p>
        </div>
      )}
    </div>
  );
}
