import { useQuery } from '@tanstack/react-query';
import type { User } from '@tollgate/contract';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { groupNamesQuery } from '../../api/channels.ts';
import {
  col_group,
  login_wechat,
  password_rule,
  policy_limits_hint,
  register_username_hint,
  section_basics,
  section_quota,
  users_bound,
  users_bound_none,
  users_bound_text,
  users_display_hint,
  users_display_name,
  users_email,
  users_limits_hint,
  users_password,
  users_password_keep,
  users_quota,
  users_quota_reason,
  users_quota_reason_hint,
  users_username,
} from '../../i18n/generated/messages.ts';
import { FactList } from '../../ui/FactList.tsx';
import { Field } from '../../ui/Field.tsx';
import { AdvancedFold } from '../../ui/form/AdvancedFold.tsx';
import { CallLimitFields } from '../../ui/form/CallLimitFields.tsx';
import { countFields, moneyFields } from '../../ui/form/call-limits.ts';
import { PasswordInput } from '../../ui/form/PasswordInput.tsx';
import { QuotaField } from '../../ui/form/QuotaField.tsx';
import { Section } from '../../ui/form/Section.tsx';
import type { UserDraft } from './draft.ts';

type UserForm = UseFormReturn<UserDraft, unknown, UserDraft>;

function GroupField({ form }: { form: UserForm }) {
  const { data: groups = [] } = useQuery(groupNamesQuery);
  const chosen = form.watch('group');
  return (
    <Field label={col_group()}>
      {(control) => (
        <select {...control} className="control" {...form.register('group')} value={chosen}>
          {!groups.includes(chosen) && <option value={chosen}>{chosen}</option>}
          {groups.map((group) => (
            <option key={group} value={group}>
              {group}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Names, password and, for a user who exists, the group. One's own password is changed in the personal settings. */
export function Names({ form, isNew, isOwn }: { form: UserForm; isNew: boolean; isOwn: boolean }) {
  const { errors } = form.formState;
  return (
    <Section title={section_basics()}>
      <Field label={users_username()} hint={register_username_hint()} error={errors.username?.message} required>
        {(control) => (
          <input
            {...control}
            {...form.register('username')}
            data-autofocus
            className="control"
            autoComplete="off"
            autoCapitalize="none"
            maxLength={255}
          />
        )}
      </Field>
      <Field label={users_display_name()} hint={isNew ? users_display_hint() : undefined} error={errors.display_name?.message}>
        {(control) => (
          <input {...control} {...form.register('display_name')} className="control" autoComplete="off" maxLength={255} />
        )}
      </Field>
      {!isOwn && (
        <Field
          label={users_password()}
          hint={isNew ? password_rule() : users_password_keep()}
          error={errors.password?.message}
          required={isNew}
        >
          {(control) => <PasswordInput {...control} {...form.register('password')} autoComplete="new-password" />}
        </Field>
      )}
      {!isNew && <GroupField form={form} />}
    </Section>
  );
}

export function QuotaSection({ form, was }: { form: UserForm; was: number }) {
  const { errors } = form.formState;
  return (
    <Section title={section_quota()}>
      <Controller
        control={form.control}
        name="quota"
        render={({ field, fieldState }) => (
          <QuotaField
            label={users_quota()}
            value={field.value}
            was={was}
            onChange={field.onChange}
            onBlur={field.onBlur}
            error={fieldState.error?.message}
          />
        )}
      />
      <Field label={users_quota_reason()} hint={users_quota_reason_hint()} error={errors.quota_reason?.message}>
        {(control) => (
          <input {...control} {...form.register('quota_reason')} className="control" autoComplete="off" maxLength={200} />
        )}
      </Field>
    </Section>
  );
}

/** What few users need: how much they may ask for. */
export function Limits({ form }: { form: UserForm }) {
  const { errors } = form.formState;
  return (
    <AdvancedFold storageKey="user-advanced" faulty={[...countFields, ...moneyFields].some((name) => errors[name])}>
      <CallLimitFields
        hint={`${users_limits_hint()} ${policy_limits_hint()}`}
        field={(name) => ({ input: form.register(name), value: form.watch(name), error: errors[name]?.message })}
      />
    </AdvancedFold>
  );
}

/** What else signs the user in; to be read only. */
export function Bound({ user }: { user: User }) {
  const none = <span className="text-muted">{users_bound_none()}</span>;
  const accounts = [
    { label: users_email(), value: user.email },
    { label: 'GitHub', value: user.github_id },
    { label: login_wechat(), value: user.wechat_id },
    { label: 'Telegram', value: user.telegram_id },
    { label: 'Linux DO', value: user.linux_do_id },
    ...(user.oidc_id ? [{ label: 'OIDC', value: user.oidc_id }] : []),
  ];
  return (
    <Section title={users_bound()}>
      <p className="-mt-2 text-muted text-xs">{users_bound_text()}</p>
      <FactList lines={accounts.map(({ label, value }) => ({ label, value: value || none }))} />
    </Section>
  );
}
