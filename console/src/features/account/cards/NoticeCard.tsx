import type { User } from '@tollgate/contract';
import { useState } from 'react';
import { textOf } from '../../../api/errors.ts';
import { useMoney } from '../../../api/status.ts';
import {
  action_save,
  notice_address,
  notice_address_hint,
  notice_by,
  notice_done,
  notice_email,
  notice_secret,
  notice_secret_hint,
  notice_secret_set,
  notice_text,
  notice_threshold,
  notice_title,
  notice_unpriced,
  notice_unpriced_hint,
  notice_url,
  notice_webhook,
} from '../../../i18n/generated/messages.ts';
import { parseQuota, quotaToInput } from '../../../lib/money.ts';
import { Alert } from '../../../ui/Alert.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Field, SwitchField } from '../../../ui/Field.tsx';
import { PasswordInput } from '../../../ui/form/PasswordInput.tsx';
import { QuotaField } from '../../../ui/form/QuotaField.tsx';
import { useSmallForm } from '../../../ui/form/useSmallForm.ts';
import { notify } from '../../../ui/notify.ts';
import { noticeFaults, settingOf } from '../model.ts';
import { useNoticeChange } from '../queries.ts';

type Way = 'email' | 'webhook';

function WaySelect({ value, onChange }: { value: Way; onChange(way: Way): void }) {
  return (
    <Field label={notice_by()}>
      {(control) => (
        <select
          {...control}
          className="control"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value === 'webhook' ? 'webhook' : 'email')}
        >
          <option value="email">{notice_email()}</option>
          <option value="webhook">{notice_webhook()}</option>
        </select>
      )}
    </Field>
  );
}

/** The form's state, and what is sent of it. */
function useNoticeForm(self: User) {
  const format = useMoney();
  const setting = settingOf(self);
  const [way, setWay] = useState<Way>(setting.notify_type);
  const [unpriced, setUnpriced] = useState(setting.accept_unset_model_ratio_model ?? false);
  const change = useNoticeChange();
  const initial = {
    threshold: quotaToInput(setting.quota_warning_threshold ?? format.quotaPerUnit, format),
    email: setting.notification_email ?? '',
    url: setting.webhook_url ?? '',
    secret: '',
  };
  const form = useSmallForm(initial, (values) => noticeFaults(values, way, format));
  const submit = form.submit(({ threshold, email, url, secret }) =>
    change.mutate(
      {
        notify_type: way,
        quota_warning_threshold: parseQuota(threshold, format) ?? 0,
        webhook_url: url.trim(),
        webhook_secret: secret,
        notification_email: email.trim(),
        accept_unset_model_ratio_model: unpriced,
      },
      { onSuccess: () => notify('ok', notice_done()) },
    ),
  );
  return { form, submit, way, setWay, unpriced, setUnpriced, change, secretSet: setting.webhook_secret_set === true };
}

/** When and how the site tells this user that the balance runs low. */
export function NoticeCard({ self }: { self: User }) {
  const { form, submit, way, setWay, unpriced, setUnpriced, change, secretSet } = useNoticeForm(self);
  const { errors } = form;
  return (
    <Card title={notice_title()} text={notice_text()}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        {change.error && <Alert tone="bad">{textOf(change.error)}</Alert>}
        <QuotaField
          label={notice_threshold()}
          value={form.values.threshold}
          onChange={(value) => form.set('threshold', value)}
          onBlur={form.field('threshold').onBlur}
          error={errors.threshold}
        />
        <WaySelect value={way} onChange={setWay} />
        {way === 'email' ? (
          <Field label={notice_address()} hint={notice_address_hint()} error={errors.email}>
            {(control) => <input {...control} {...form.field('email')} type="email" className="control" maxLength={254} />}
          </Field>
        ) : (
          <>
            <Field label={notice_url()} error={errors.url} required>
              {(control) => (
                <input
                  {...control}
                  {...form.field('url')}
                  type="url"
                  className="control"
                  placeholder="https://"
                  autoComplete="off"
                  maxLength={2048}
                />
              )}
            </Field>
            <Field label={notice_secret()} hint={secretSet ? notice_secret_set() : notice_secret_hint()}>
              {(control) => <PasswordInput {...control} {...form.field('secret')} autoComplete="off" />}
            </Field>
          </>
        )}
        <SwitchField label={notice_unpriced()} hint={notice_unpriced_hint()} checked={unpriced} onChange={setUnpriced} />
        <Button type="submit" className="self-start" pending={change.isPending}>
          {action_save()}
        </Button>
      </form>
    </Card>
  );
}
