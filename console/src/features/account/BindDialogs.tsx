import { textOf } from '../../api/errors.ts';
import { useStatus } from '../../api/status.ts';
import {
  bind_action,
  bind_email_done,
  bind_email_text,
  bind_email_title,
  bind_telegram_done,
  bind_wechat_done,
  door_telegram_text,
  door_telegram_title,
  mail_code_missing,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { addressFault } from '../../ui/signin/address.ts';
import { MailCode } from '../../ui/signin/MailCode.tsx';
import { TelegramFrame } from '../../ui/signin/TelegramFrame.tsx';
import { useBotCheck } from '../../ui/signin/useBotCheck.tsx';
import { WeChatDialog } from '../../ui/signin/WeChatDialog.tsx';
import { useEmailBinding, useTelegramBinding, useWeChatBinding } from './queries.ts';

interface Props {
  onClose(): void;
}

export function EmailDialog({ onClose }: Props) {
  const binding = useEmailBinding();
  const bot = useBotCheck();
  const form = useSmallForm({ email: '', code: '' }, ({ email, code }) => ({
    email: addressFault(email),
    code: code.trim() === '' ? mail_code_missing() : undefined,
  }));
  const { errors } = form;
  const submit = form.submit(({ email, code }) =>
    binding.mutate(
      { email: email.trim(), code: code.trim() },
      {
        onSuccess() {
          notify('ok', bind_email_done());
          onClose();
        },
      },
    ),
  );
  return (
    <FormDialog
      title={bind_email_title()}
      description={bind_email_text()}
      onClose={onClose}
      dirty={form.dirty}
      submitLabel={bind_action()}
      onSubmit={submit}
      pending={binding.isPending}
      error={binding.error}
    >
      <MailCode
        email={{ props: form.field('email'), error: errors.email }}
        code={{ props: form.field('code'), error: errors.code }}
        bot={bot}
      />
      {bot.widget}
    </FormDialog>
  );
}

export function WeChatBinding({ onClose }: Props) {
  const binding = useWeChatBinding();
  const bind = (code: string) =>
    binding.mutate(code, {
      onSuccess() {
        notify('ok', bind_wechat_done());
        onClose();
      },
    });
  const error = binding.error ? textOf(binding.error) : undefined;
  return <WeChatDialog pending={binding.isPending} error={error} onCode={bind} onClose={onClose} />;
}

export function TelegramBinding({ onClose }: Props) {
  const bot = useStatus()?.telegram_bot_name ?? '';
  const binding = useTelegramBinding();
  const bind = (fields: Record<string, string>) =>
    binding.mutate(fields, {
      onSuccess() {
        notify('ok', bind_telegram_done());
        onClose();
      },
    });
  return (
    <Dialog title={door_telegram_title()} description={door_telegram_text()} onClose={onClose}>
      {binding.error && (
        <div className="mb-3">
          <Alert tone="bad">{textOf(binding.error)}</Alert>
        </div>
      )}
      <TelegramFrame bot={bot} onFields={bind} />
    </Dialog>
  );
}
