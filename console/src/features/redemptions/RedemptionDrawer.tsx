import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Redemption, redemptionStatus } from '@tollgate/contract';
import { useState } from 'react';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { useMoney, useMoneyKey } from '../../api/status.ts';
import {
  action_save,
  col_expires,
  col_name,
  redemption_add,
  redemption_count,
  redemption_create,
  redemption_edit,
  redemption_edit_unused,
  redemption_name_hint,
  redemption_per_user,
  redemption_quota,
  redemption_whole_campaign,
  save_done,
  token_never,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Chips } from '../../ui/Chips.tsx';
import { Field } from '../../ui/Field.tsx';
import { DateTimeInput } from '../../ui/form/DateTimeInput.tsx';
import { EditorDrawer, EditorPlaceholder } from '../../ui/form/EditorDrawer.tsx';
import { QuotaField } from '../../ui/form/QuotaField.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { notify } from '../../ui/notify.ts';
import { CreatedDialog } from './CreatedDialog.tsx';
import { draftOf, newDraft, type RedemptionDraft, redemptionSchema, toInput } from './draft.ts';
import { redemptionQuery, useRedemptionCreation, useRedemptionUpdate } from './queries.ts';

const parent = getRouteApi('/_console/_admin/redemption');
const editRoute = getRouteApi('/_console/_admin/redemption/edit/$id');
const countChoices = [1, 10, 50, 100];

type Form = UseFormReturn<RedemptionDraft, unknown, RedemptionDraft>;

function useClose(): () => void {
  const navigate = parent.useNavigate();
  return () => void navigate({ to: '/redemption', search: true });
}

function CountField({ form }: { form: Form }) {
  return (
    <div>
      <Field label={redemption_count()} error={form.formState.errors.count?.message}>
        {(control) => <input {...control} {...form.register('count')} className="control" inputMode="numeric" maxLength={3} />}
      </Field>
      <Chips
        values={countChoices}
        onChoose={(count) => form.setValue('count', String(count), { shouldDirty: true, shouldValidate: true })}
      />
    </div>
  );
}

function Fields({ form, isNew }: { form: Form; isNew: boolean }) {
  return (
    <div className="flex flex-col gap-3.5">
      <Field label={col_name()} hint={redemption_name_hint()} error={form.formState.errors.name?.message}>
        {(control) => (
          <input {...control} {...form.register('name')} data-autofocus className="control" autoComplete="off" maxLength={60} />
        )}
      </Field>
      <Controller
        control={form.control}
        name="quota"
        render={({ field, fieldState }) => (
          <QuotaField
            label={redemption_quota()}
            value={field.value}
            onChange={field.onChange}
            onBlur={field.onBlur}
            error={fieldState.error?.message}
          />
        )}
      />
      {isNew && <CountField form={form} />}
      <Field label={col_expires()} error={form.formState.errors.expires?.message}>
        {(control) => (
          <Controller
            control={form.control}
            name="expires"
            render={({ field: { value, onChange, onBlur } }) => (
              <DateTimeInput {...{ control, value, onChange, onBlur }} placeholder={token_never()} />
            )}
          />
        )}
      </Field>
      <Field label={redemption_per_user()} error={form.formState.errors.perUser?.message}>
        {(control) => (
          <input
            {...control}
            {...form.register('perUser')}
            placeholder="∞"
            className="control"
            inputMode="numeric"
            maxLength={7}
          />
        )}
      </Field>
      {!isNew && (
        <label className="flex min-h-7 items-center gap-2 max-sm:min-h-10">
          <input type="checkbox" className="checkbox" {...form.register('wholeCampaign')} />
          {redemption_whole_campaign()}
        </label>
      )}
    </div>
  );
}

interface Created {
  name: string;
  codes: readonly string[];
}

function useSave(row: Redemption | undefined, onCreated: (created: Created) => void, onSaved: () => void) {
  const format = useMoney();
  const create = useRedemptionCreation();
  const update = useRedemptionUpdate();
  const save = (draft: RedemptionDraft) => {
    const { count, ...code } = toInput(draft, format);
    if (row) update.mutate({ id: row.id, ...code, whole_campaign: draft.wholeCampaign }, { onSuccess: onSaved });
    else create.mutate({ ...code, count }, { onSuccess: (codes) => onCreated({ name: code.name, codes }) });
  };
  return { save, pending: create.isPending || update.isPending, error: create.error ?? update.error };
}

function Editor({ title, row }: { title: string; row?: Redemption }) {
  const close = useClose();
  const format = useMoney();
  const [created, setCreated] = useState<Created>();
  const form = useSchemaForm<RedemptionDraft, RedemptionDraft>(
    redemptionSchema(format),
    row ? draftOf(row, format) : newDraft(format),
  );
  const guard = useGuard(form.formState.isDirty && !created);
  const onSaved = () => {
    notify('ok', save_done());
    guard.release();
    close();
  };
  const { save, ...saving } = useSave(row, setCreated, onSaved);
  if (created) return <CreatedDialog {...created} onClose={close} />;
  return (
    <EditorDrawer
      title={title}
      onClose={close}
      submitLabel={row ? action_save() : redemption_create()}
      onSubmit={form.handleSubmit(save)}
      saving={saving}
    >
      <Fields form={form} isNew={!row} />
    </EditorDrawer>
  );
}

/** /redemption/add */
export function AddRedemption() {
  return <Editor key={useMoneyKey()} title={redemption_add()} />;
}

/** /redemption/edit/$id: name and amount of a code that can be redeemed. */
export function EditRedemption() {
  const id = Number(editRoute.useParams().id);
  const close = useClose();
  const { data, error } = useQuery(redemptionQuery(id));
  const unit = useMoneyKey();
  if (data?.status === redemptionStatus.unused)
    return <Editor key={data.id + unit} title={redemption_edit({ name: data.name })} row={data} />;
  return (
    <EditorPlaceholder title={redemption_edit({ name: data?.name ?? `#${id}` })} onClose={close} error={error}>
      {data && <Alert tone="warn">{redemption_edit_unused()}</Alert>}
    </EditorPlaceholder>
  );
}
