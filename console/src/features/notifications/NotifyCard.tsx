import { type NotifyWay, notifyWays, type User } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { useStatus } from '../../api/status.ts';
import {
  action_save,
  notice_address,
  notice_address_hint,
  notice_secret,
  notice_secret_hint,
  notice_secret_set,
  notice_threshold,
  notice_unpriced,
  notice_unpriced_hint,
  notice_url,
  notify_dingtalk_key,
  notify_dingtalk_secret,
  notify_dingtalk_secret_hint,
  notify_key_hint,
  notify_remove,
  notify_text,
  notify_threshold_hint,
  notify_title,
  notify_wecom_key,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Field, SwitchField } from '../../ui/Field.tsx';
import { PasswordInput } from '../../ui/form/PasswordInput.tsx';
import { QuotaField } from '../../ui/form/QuotaField.tsx';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { Matrix } from './Matrix.tsx';
import { QuietFields } from './QuietFields.tsx';
import { Target } from './Target.tsx';
import { type NotifyForm, useNotifyForm } from './useNotifyForm.ts';
import { WxPusher } from './WxPusher.tsx';

interface KeyProps {
  form: NotifyForm;
  way: 'wecom' | 'dingtalk';
  label: string;
  isSet: boolean;
}

/** A robot's key: typed anew, kept, or removed. */
function RobotKey({ form: { form, removed, remove }, way, label, isSet }: KeyProps) {
  const shown = isSet && !removed.has(way);
  const aside = shown && (
    <Button size="sm" tone="quiet" onClick={() => remove(way)}>
      {notify_remove()}
    </Button>
  );
  return (
    <Field label={label} hint={shown ? notice_secret_set() : notify_key_hint()} aside={aside || undefined}>
      {(control) => <PasswordInput {...control} {...form.field(way)} autoComplete="off" />}
    </Field>
  );
}

/** Where each way leads. */
function Targets({ form, self }: { form: NotifyForm; self: User }) {
  const { setting } = form;
  const status = useStatus();
  const field = form.form.field;
  const { errors } = form.form;
  const fields: Record<NotifyWay, { ready: boolean; body: ReactNode }> = {
    email: {
      ready: (setting.notification_email || self.email) !== '',
      body: (
        <Field label={notice_address()} hint={notice_address_hint()} error={errors.email}>
          {(control) => <input {...control} {...field('email')} type="email" className="control" maxLength={254} />}
        </Field>
      ),
    },
    webhook: {
      ready: Boolean(setting.webhook_url),
      body: (
        <>
          <Field label={notice_url()} error={errors.url}>
            {(control) => (
              <input
                {...{ ...control, ...field('url') }}
                type="url"
                className="control"
                placeholder="https://"
                autoComplete="off"
                maxLength={2048}
              />
            )}
          </Field>
          <Field label={notice_secret()} hint={setting.webhook_secret_set ? notice_secret_set() : notice_secret_hint()}>
            {(control) => <PasswordInput {...control} {...field('secret')} autoComplete="off" />}
          </Field>
        </>
      ),
    },
    wxpusher: { ready: setting.wxpusher_bound === true, body: <WxPusher bound={setting.wxpusher_bound === true} /> },
    wecom: {
      ready: setting.wecom_key_set === true,
      body: <RobotKey form={form} way="wecom" label={notify_wecom_key()} isSet={setting.wecom_key_set === true} />,
    },
    dingtalk: {
      ready: setting.dingtalk_key_set === true,
      body: (
        <>
          <RobotKey form={form} way="dingtalk" label={notify_dingtalk_key()} isSet={setting.dingtalk_key_set === true} />
          <Field
            label={notify_dingtalk_secret()}
            hint={setting.dingtalk_secret_set ? notice_secret_set() : notify_dingtalk_secret_hint()}
          >
            {(control) => <PasswordInput {...control} {...field('dingtalkSecret')} autoComplete="off" />}
          </Field>
        </>
      ),
    },
  };
  const shown = notifyWays.filter((way) => way !== 'wxpusher' || status?.wxpusher_enabled || setting.wxpusher_bound);
  return shown.map((way) => (
    <Target key={way} way={way} ready={fields[way].ready}>
      {fields[way].body}
    </Target>
  ));
}

/** What this user is told of, how, and when not. */
export function NotifyCard({ self }: { self: User }) {
  const state = useNotifyForm(self);
  const { form, submit, change, events, choices, choose } = state;
  useGuard(state.isEdited);
  const status = useStatus();
  const ways = notifyWays.filter((way) => way !== 'wxpusher' || status?.wxpusher_enabled);
  return (
    <Card title={notify_title()} text={notify_text()}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <SaveFault error={change.error} />
        <Matrix
          events={events}
          ways={ways}
          value={choices.subscriptions}
          onChange={(subscriptions) => choose({ subscriptions })}
        />
        <div>
          <QuotaField
            label={notice_threshold()}
            name="threshold"
            value={form.values.threshold}
            onChange={(value) => form.set('threshold', value)}
            onBlur={form.field('threshold').onBlur}
            error={form.errors.threshold}
          />
          <p className="mt-1 text-muted text-xs">{notify_threshold_hint()}</p>
        </div>
        <Targets form={state} self={self} />
        <div className="flex flex-col gap-3 border-t pt-3">
          <QuietFields state={state} />
          <SwitchField
            label={notice_unpriced()}
            hint={notice_unpriced_hint()}
            checked={choices.unpriced}
            onChange={(unpriced) => choose({ unpriced })}
          />
        </div>
        <Button type="submit" tone="primary" className="self-end" pending={change.isPending}>
          {action_save()}
        </Button>
      </form>
    </Card>
  );
}
