import { useQuery } from '@tanstack/react-query';
import { never } from '@tollgate/contract';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { ownGroupsQuery, ownModelsQuery } from '../../api/self.ts';
import { useStatus } from '../../api/status.ts';
import {
  col_expires,
  col_group,
  col_name,
  group_none,
  group_own,
  models_choose,
  section_access,
  section_basics,
  section_quota,
  token_count,
  token_count_hint,
  token_expiry_day,
  token_expiry_hint,
  token_expiry_hour,
  token_expiry_month,
  token_ips,
  token_ips_hint,
  token_limit_models,
  token_limit_models_hint,
  token_models,
  token_never,
  token_unlimited,
  token_unlimited_hint,
} from '../../i18n/generated/messages.ts';
import { nowSeconds } from '../../lib/time.ts';
import { Chips } from '../../ui/Chips.tsx';
import { Field, SwitchField } from '../../ui/Field.tsx';
import { DateTimeInput } from '../../ui/form/DateTimeInput.tsx';
import { QuotaField } from '../../ui/form/QuotaField.tsx';
import { Section } from '../../ui/form/Section.tsx';
import { MultiSelect } from '../../ui/overlay/MultiSelect.tsx';
import { expiryIn, type TokenDraft } from './draft.ts';

export type TokenForm = UseFormReturn<TokenDraft, unknown, TokenDraft>;

/** Seconds until the end, and what the choice of it says. */
const expiryTexts = new Map([
  [never, token_never],
  [3600, token_expiry_hour],
  [86_400, token_expiry_day],
  [30 * 86_400, token_expiry_month],
]);
const countChoices = [10, 20, 30, 100];

function GroupField({ form }: { form: TokenForm }) {
  const { data: groups = {}, isSuccess } = useQuery(ownGroupsQuery);
  const chosen = form.watch('group');
  const known = Object.entries(groups);
  // Groups are classes of customers: whoever is alone has none, unless this token got one before.
  if (useStatus()?.self_use_mode_enabled === true && chosen === '') return null;
  return (
    <Field label={col_group()} hint={isSuccess && known.length === 0 ? group_none() : undefined}>
      {(control) => (
        <select {...control} className="control" {...form.register('group')} value={chosen}>
          <option value="">{group_own()}</option>
          {chosen !== '' && !(chosen in groups) && <option value={chosen}>{chosen}</option>}
          {known.map(([name, group]) => (
            <option key={name} value={name}>
              {[name, group.desc, ...(typeof group.ratio === 'number' ? [`×${group.ratio}`] : [])].join(' · ')}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Basics({ form }: { form: TokenForm }) {
  const { errors } = form.formState;
  const setExpiry = (text: string) => form.setValue('expires', text, { shouldDirty: true, shouldValidate: true });
  return (
    <Section title={section_basics()}>
      <Field label={col_name()} error={errors.name?.message} required>
        {(control) => (
          <input {...control} {...form.register('name')} data-autofocus className="control" autoComplete="off" maxLength={60} />
        )}
      </Field>
      <div>
        <Field label={col_expires()} hint={token_expiry_hint()} error={errors.expires?.message}>
          {(control) => (
            <Controller
              control={form.control}
              name="expires"
              render={({ field }) => (
                <DateTimeInput
                  control={control}
                  value={field.value}
                  onChange={field.onChange}
                  onBlur={field.onBlur}
                  placeholder={token_never()}
                />
              )}
            />
          )}
        </Field>
        <Chips
          values={[...expiryTexts.keys()]}
          textOf={(seconds) => expiryTexts.get(seconds)?.() ?? ''}
          onChoose={(seconds) => setExpiry(seconds === never ? '' : expiryIn(seconds, nowSeconds()))}
        />
      </div>
      <GroupField form={form} />
    </Section>
  );
}

function CountField({ form, disabled }: { form: TokenForm; disabled: boolean }) {
  return (
    <div>
      <Field label={token_count()} hint={token_count_hint()} error={form.formState.errors.count?.message}>
        {(control) => (
          <input
            {...control}
            {...form.register('count')}
            className="control"
            inputMode="numeric"
            maxLength={3}
            disabled={disabled}
          />
        )}
      </Field>
      <Chips
        values={countChoices}
        disabled={disabled}
        onChoose={(count) => form.setValue('count', String(count), { shouldDirty: true, shouldValidate: true })}
      />
    </div>
  );
}

export function QuotaSection({ form, isNew }: { form: TokenForm; isNew: boolean }) {
  const unlimited = form.watch('unlimited');
  return (
    <Section title={section_quota()}>
      <SwitchField
        label={token_unlimited()}
        hint={token_unlimited_hint()}
        checked={unlimited}
        onChange={(checked) => {
          form.setValue('unlimited', checked, { shouldDirty: true });
          form.clearErrors(['quota', 'count']);
        }}
      />
      <Controller
        control={form.control}
        name="quota"
        render={({ field, fieldState }) => (
          <QuotaField
            label={section_quota()}
            value={field.value}
            onChange={field.onChange}
            onBlur={field.onBlur}
            error={fieldState.error?.message}
            disabled={unlimited}
          />
        )}
      />
      {isNew && <CountField form={form} disabled={unlimited} />}
    </Section>
  );
}

export function Access({ form }: { form: TokenForm }) {
  const { data: models = [] } = useQuery(ownModelsQuery);
  const limited = form.watch('limitModels');
  return (
    <Section title={section_access()}>
      <SwitchField
        label={token_limit_models()}
        hint={token_limit_models_hint()}
        checked={limited}
        onChange={(checked) => form.setValue('limitModels', checked, { shouldDirty: true })}
      />
      {limited && (
        <Field label={token_models()} error={form.formState.errors.models?.message}>
          {(control) => (
            <Controller
              control={form.control}
              name="models"
              render={({ field }) => (
                <MultiSelect
                  control={control}
                  options={models}
                  value={field.value}
                  onChange={field.onChange}
                  placeholder={models_choose()}
                />
              )}
            />
          )}
        </Field>
      )}
      <Field label={token_ips()} hint={token_ips_hint()} error={form.formState.errors.ips?.message}>
        {(control) => (
          <textarea
            {...control}
            {...form.register('ips')}
            className="control font-mono text-xs"
            rows={3}
            spellCheck={false}
            placeholder={'203.0.113.7\n198.51.100.0/24'}
          />
        )}
      </Field>
    </Section>
  );
}
