import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type AgentEntry, agentStatus } from '@tollgate/contract';
import { useState } from 'react';
import { namedUserQuery } from '../../../api/named-user.ts';
import { useMoney } from '../../../api/status.ts';
import {
  action_save,
  agent_contact,
  agent_rate,
  agents_add,
  agents_add_exists,
  agents_add_hint,
  agents_approve,
  agents_approved,
  agents_edit,
  agents_level,
  agents_level_hint,
  agents_level_invalid,
  agents_missing_row,
  agents_rate_hint,
  agents_rate_invalid,
  agents_reject,
  agents_reject_done,
  agents_reject_sure,
  agents_reject_sure_text,
  agents_review_note,
  agents_review_note_hint,
  agents_review_note_missing,
  agents_review_title,
  agents_terms,
  col_user,
  payment_payee_found,
  payment_payee_none,
  save_done,
} from '../../../i18n/generated/messages.ts';
import { formatQuota } from '../../../lib/money.ts';
import { Alert } from '../../../ui/Alert.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { EditorDrawer, EditorPlaceholder } from '../../../ui/form/EditorDrawer.tsx';
import { Pair, Section } from '../../../ui/form/Section.tsx';
import { useGuard } from '../../../ui/form/useGuard.ts';
import { useSettled } from '../../../ui/form/useSettled.ts';
import { useSmallForm } from '../../../ui/form/useSmallForm.ts';
import { notify, notifyError } from '../../../ui/notify.ts';
import { confirm } from '../../../ui/overlays.ts';
import { ContactList } from '../Contact.tsx';
import { nameOf, parseRate, rateInput } from '../model.ts';
import { agentQuery, useReview } from '../queries.ts';

type Values = Record<'user' | 'rate' | 'level' | 'note', string>;
type SmallForm = ReturnType<typeof useSmallForm<keyof Values>>;

const parent = getRouteApi('/_console/_admin/agent/manage');
const editRoute = getRouteApi('/_console/_admin/agent/manage/edit/$id');

function useClose(): () => void {
  const navigate = parent.useNavigate();
  return () => void navigate({ to: '/agent/manage', search: true });
}

const levelOf = (text: string): number => (/^\d{1,2}$/.test(text.trim()) ? Number(text) : 0);

export function reviewFaults({ rate, level }: Pick<Values, 'rate' | 'level'>): Partial<Values> {
  return {
    ...(rate.trim() !== '' && parseRate(rate) === undefined ? { rate: agents_rate_invalid() } : {}),
    ...(levelOf(level) < 1 ? { level: agents_level_invalid() } : {}),
  };
}

/** What a filled form says; an empty rate is that of the site. */
const termsOf = ({ rate, level, note }: Values) => ({
  commission_rate: rate.trim() === '' ? null : (parseRate(rate) ?? null),
  level: levelOf(level),
  review_note: note.trim(),
});

/** Of these what was edited: what another administrator changed meanwhile stays. */
function editedTerms(values: Values, initial: Values): Partial<ReturnType<typeof termsOf>> {
  const before: Record<string, unknown> = termsOf(initial);
  return Object.fromEntries(Object.entries(termsOf(values)).filter(([name, value]) => value !== before[name]));
}

function Terms({ form }: { form: SmallForm }) {
  return (
    <Section title={agents_terms()}>
      <Pair>
        <Field label={agent_rate()} error={form.errors.rate} hint={agents_rate_hint()}>
          {(control) => (
            <div className="relative">
              <input
                {...control}
                {...form.field('rate')}
                className="control pr-7 tabular-nums"
                inputMode="decimal"
                maxLength={9}
                autoComplete="off"
              />
              <span aria-hidden className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-muted">
                %
              </span>
            </div>
          )}
        </Field>
        <Field label={agents_level()} error={form.errors.level} hint={agents_level_hint()}>
          {(control) => (
            <input
              {...control}
              {...form.field('level')}
              className="control tabular-nums"
              inputMode="numeric"
              maxLength={2}
              autoComplete="off"
            />
          )}
        </Field>
      </Pair>
      <Field label={agents_review_note()} error={form.errors.note} hint={agents_review_note_hint()}>
        {(control) => <textarea {...control} {...form.field('note')} className="control" rows={2} maxLength={500} />}
      </Field>
    </Section>
  );
}

/** Refuses an application, with what the applicant is told. */
function RejectButton({ agent, note, onFault, onDone }: { agent: AgentEntry; note: string; onFault(): void; onDone(): void }) {
  const review = useReview();
  const run = async () => {
    if (note.trim() === '') return onFault();
    const sure = {
      title: agents_reject_sure({ name: nameOf(agent) }),
      text: agents_reject_sure_text(),
      confirmLabel: agents_reject(),
    };
    if (!(await confirm({ ...sure, tone: 'bad' }))) return;
    const seen = { id: agent.user_id, seen_status: agent.status };
    review.mutate(
      { ...seen, status: agentStatus.rejected, review_note: note.trim() },
      { onSuccess: onDone, onError: notifyError },
    );
  };
  return (
    <Button pending={review.isPending} onClick={() => void run()}>
      {agents_reject()}
    </Button>
  );
}

function Editor({ agent }: { agent: AgentEntry }) {
  const close = useClose();
  const review = useReview();
  const [initial] = useState<Values>({
    user: '',
    rate: agent.commission_rate === null ? '' : rateInput(agent.commission_rate),
    level: String(agent.level),
    note: agent.review_note,
  });
  const [noteless, setNoteless] = useState(false);
  const form = useSmallForm<keyof Values>(initial, (values) => reviewFaults(values));
  const guard = useGuard(form.dirty);
  const finish = (text: string) => () => {
    notify('ok', text);
    guard.release();
    close();
  };
  const applied = agent.status === agentStatus.applied;
  const save = form.submit((values) => {
    const status = applied ? { status: agentStatus.active, seen_status: agent.status } : {};
    review.mutate(
      { id: agent.user_id, ...status, ...editedTerms(values, initial) },
      { onSuccess: finish(applied ? agents_approved({ name: nameOf(agent) }) : save_done()) },
    );
  });
  const shown =
    noteless && form.values.note.trim() === ''
      ? { ...form, errors: { ...form.errors, note: agents_review_note_missing() } }
      : form;
  return (
    <EditorDrawer
      title={applied ? agents_review_title({ name: nameOf(agent) }) : agents_edit({ name: nameOf(agent) })}
      onClose={close}
      submitLabel={applied ? agents_approve() : action_save()}
      onSubmit={save}
      saving={{ pending: review.isPending, error: review.error }}
      actions={
        applied && (
          <RejectButton
            agent={agent}
            note={form.values.note}
            onFault={() => setNoteless(true)}
            onDone={finish(agents_reject_done({ name: nameOf(agent) }))}
          />
        )
      }
    >
      <Section title={agent_contact()}>
        <ContactList told={agent} />
      </Section>
      <Terms form={shown} />
    </EditorDrawer>
  );
}

/** /agent/manage/edit/$id: an application to be judged, or the terms of an agent. */
export function EditAgent() {
  const id = Number(editRoute.useParams().id);
  const close = useClose();
  const { data, error } = useQuery(agentQuery(id));
  if (data) return <Editor key={data.user_id} agent={data} />;
  return (
    <EditorPlaceholder title={agents_edit({ name: `#${id}` })} onClose={close} error={error}>
      {data === null && <Alert tone="warn">{agents_missing_row()}</Alert>}
    </EditorPlaceholder>
  );
}

/** /agent/manage/add: makes somebody an agent who never applied. */
export function AddAgent() {
  const close = useClose();
  const format = useMoney();
  const review = useReview();
  const form = useSmallForm<keyof Values>({ user: '', rate: '', level: '1', note: '' }, (values) => ({
    ...(values.user.trim() === '' ? { user: payment_payee_none() } : {}),
    ...reviewFaults(values),
  }));
  const typed = form.values.user.trim();
  const settled = useSettled(typed);
  const found = useQuery(namedUserQuery(settled));
  const user = settled === typed ? found.data : undefined;
  const existing = useQuery({ ...agentQuery(user?.id ?? 0), enabled: Boolean(user) });
  const guard = useGuard(form.dirty);
  const error = review.error ?? found.error ?? existing.error;
  // Whoever is an agent keeps their state and terms: until that is known nothing is sent.
  const isSought = typed !== '' && user !== null && existing.data === undefined && !error;
  const save = form.submit((values) => {
    if (!user || existing.data !== null) return;
    const onSuccess = () => {
      notify('ok', agents_approved({ name: user.username }));
      guard.release();
      close();
    };
    review.mutate({ id: user.id, status: agentStatus.active, ...termsOf(values) }, { onSuccess });
  });
  const fault = user === null && typed !== '' ? payment_payee_none() : existing.data ? agents_add_exists() : form.errors.user;
  return (
    <EditorDrawer
      title={agents_add()}
      onClose={close}
      submitLabel={agents_add()}
      onSubmit={save}
      saving={{ pending: review.isPending || isSought, error }}
    >
      <Section title={col_user()}>
        <Field
          label={col_user()}
          error={fault}
          required
          hint={
            <span aria-live="polite">
              {user
                ? payment_payee_found({ name: user.username, id: user.id, quota: formatQuota(user.quota, format) })
                : agents_add_hint()}
            </span>
          }
        >
          {(control) => (
            <input {...control} {...form.field('user')} data-autofocus className="control" autoComplete="off" maxLength={64} />
          )}
        </Field>
      </Section>
      <Terms form={form} />
    </EditorDrawer>
  );
}
