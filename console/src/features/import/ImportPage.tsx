import { useMutation, useQuery } from '@tanstack/react-query';
import type { ImportMode, ImportRun } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import {
  import_bring,
  import_bring_confirm,
  import_bring_confirm_text,
  import_cancel,
  import_delta,
  import_delta_confirm,
  import_delta_confirm_text,
  import_failed,
  import_intro,
  import_look,
  import_look_hint,
  import_progress,
  import_running_delta,
  import_running_dry_run,
  import_running_import,
  import_source,
  import_source_hint,
  import_source_required,
  nav_import,
} from '../../i18n/generated/messages.ts';
import { useLanguage } from '../../i18n/language.ts';
import { formatUnits } from '../../lib/money.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProgressBar } from '../../ui/ProgressBar.tsx';
import { kindLabels, ReportView } from './ReportView.tsx';

const pollMs = 1_000;

const modes = {
  'dry-run': { label: import_look, running: import_running_dry_run, question: undefined },
  import: {
    label: import_bring,
    running: import_running_import,
    question: () => ({ title: import_bring_confirm(), text: import_bring_confirm_text(), confirmLabel: import_bring() }),
  },
  delta: {
    label: import_delta,
    running: import_running_delta,
    question: () => ({ title: import_delta_confirm(), text: import_delta_confirm_text(), confirmLabel: import_delta() }),
  },
} as const;

/** The import on the server: asked for while it runs, whoever started it. */
function useRun() {
  const language = useLanguage();
  const query = useQuery({
    queryKey: ['import', language],
    queryFn: ({ signal }) => call(routes.imports.state, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.running ? pollMs : false),
  });
  // Waited for: until it is seen to run, its button would be there again.
  const refresh = () => query.refetch();
  const start = useMutation({
    mutationFn: (wish: { from: string; mode: ImportMode }) => call(routes.imports.start, { body: wish }),
    onSuccess: refresh,
    onError: notifyError,
  });
  const cancel = useMutation({ mutationFn: () => call(routes.imports.cancel), onSuccess: refresh, onError: notifyError });
  return { query, start, cancel };
}

function Running({ run, cancel, pending }: { run: ImportRun; cancel(): void; pending: boolean }) {
  const title = modes[run.mode].running();
  return (
    <section aria-label={title} className="card mt-3 flex max-w-4xl flex-col gap-2 p-4">
      <div className="flex flex-wrap items-center gap-x-3">
        <span role="status" className="font-medium">
          {title}
        </span>
        {run.kind && (
          <span className="text-muted tabular-nums">
            {kindLabels[run.kind]()} {import_progress({ done: formatUnits(run.done), total: formatUnits(run.found) })}
          </span>
        )}
        <Button className="ml-auto" size="sm" pending={pending} onClick={cancel}>
          {import_cancel()}
        </Button>
      </div>
      <ProgressBar aria-label={title} max={run.found || 1} value={run.kind ? run.done : undefined} />
    </section>
  );
}

function Form({ busy, start }: { busy: boolean; start(wish: { from: string; mode: ImportMode }): void }) {
  const form = useSmallForm({ from: '' }, ({ from }) => (from.trim() === '' ? { from: import_source_required() } : {}));
  const begin = async (mode: ImportMode, from: string) => {
    const question = modes[mode].question?.();
    if (question === undefined || (await confirm(question))) start({ from, mode });
  };
  return (
    <form
      className="card flex max-w-4xl flex-col gap-3 p-4"
      noValidate
      onSubmit={(event) => {
        const pressed = (event.nativeEvent as globalThis.SubmitEvent).submitter?.getAttribute('value') ?? 'dry-run';
        form.submit(({ from }) => void begin(pressed as ImportMode, from.trim()))(event);
      }}
    >
      <Field label={import_source()} hint={import_source_hint()} error={form.errors.from} required>
        {(control) => (
          <input
            {...control}
            {...form.field('from')}
            className="control font-mono"
            maxLength={2000}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" name="mode" value="dry-run" disabled={busy} data-tip={import_look_hint()}>
          {import_look()}
        </Button>
        <Button type="submit" name="mode" value="import" disabled={busy}>
          {import_bring()}
        </Button>
        <Button type="submit" name="mode" value="delta" disabled={busy}>
          {import_delta()}
        </Button>
      </div>
    </form>
  );
}

/** /import: brings another product's database here. For root. */
export function ImportPage() {
  const { query, start, cancel } = useRun();
  const run = query.data ?? undefined;
  return (
    <>
      <PageHeader title={nav_import()} />
      <p className="mb-3 max-w-3xl text-muted">{import_intro()}</p>
      {query.error && <LoadError error={query.error} retry={query.refetch} />}
      <Form busy={query.data === undefined || start.isPending || run?.running === true} start={start.mutate} />
      {run?.running && <Running run={run} cancel={() => cancel.mutate()} pending={cancel.isPending} />}
      {run && !run.running && run.failure !== '' && (
        <div className="mt-3 max-w-4xl">
          <Alert tone="bad">{import_failed({ reason: run.failure })}</Alert>
        </div>
      )}
      {run?.report && !run.running && <ReportView report={run.report} at={run.finished_at} />}
    </>
  );
}
