import type { User } from '@tollgate/contract';
import { useState } from 'react';
import { enabledProviders, providerNames } from '../../../api/doors.ts';
import { useStatus } from '../../../api/status.ts';
import {
  bind_action,
  bind_bound,
  bind_change,
  bind_change_email,
  bind_named,
  bind_off,
  bind_text,
  bind_title,
  bind_unbound,
  login_wechat,
  mail_address,
} from '../../../i18n/generated/messages.ts';
import { StatusDot } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { part } from '../../../ui/part.tsx';
import { useProviders } from '../../../ui/signin/provider.ts';

const dialogs = () => import('../BindDialogs.tsx');
const EmailDialog = part(dialogs, 'EmailDialog');
const WeChatBinding = part(dialogs, 'WeChatBinding');
const TelegramBinding = part(dialogs, 'TelegramBinding');

type Opened = 'email' | 'wechat' | 'telegram';

interface Binding {
  name: string;
  /** The bound address or account; "" when there is none. */
  value: string;
  enabled: boolean;
  pending?: boolean;
  open(): void;
}

function useBindings(self: User, open: (dialog: Opened) => void): Binding[] {
  const status = useStatus();
  const enabled = enabledProviders(status);
  const doors = useProviders();
  const ids = { github: self.github_id, linuxdo: self.linux_do_id, oidc: self.oidc_id };
  const provider = (name: keyof typeof ids): Binding => ({
    name: providerNames[name],
    value: ids[name],
    enabled: enabled.includes(name),
    pending: name === doors.opening,
    open: () => doors.open(name),
  });
  const dialog = (name: string, value: string, on: boolean | undefined, key: Opened): Binding => ({
    name,
    value,
    enabled: on === true,
    open: () => open(key),
  });
  const all = [
    dialog(mail_address(), self.email, true, 'email'),
    dialog(login_wechat(), self.wechat_id, status?.wechat_login, 'wechat'),
    provider('github'),
    dialog('Telegram', self.telegram_id, status?.telegram_oauth, 'telegram'),
    provider('linuxdo'),
  ];
  return enabled.includes('oidc') || self.oidc_id ? [...all, provider('oidc')] : all;
}

function Row({ binding, replaceable }: { binding: Binding; replaceable: boolean }) {
  const { name, value, enabled, pending, open } = binding;
  return (
    <li className="flex min-h-11 items-center gap-3 py-1">
      <div className="min-w-0 grow">
        <p className="font-medium">{name}</p>
        {value && <p className="text-muted text-xs">{value}</p>}
      </div>
      <StatusDot tone={value ? 'ok' : 'grey'}>{value ? bind_bound() : enabled ? bind_unbound() : bind_off()}</StatusDot>
      {enabled && (!value || replaceable) && (
        <Button
          size="sm"
          aria-label={replaceable && value ? bind_change_email() : bind_named({ name })}
          pending={pending}
          onClick={open}
        >
          {value ? bind_change() : bind_action()}
        </Button>
      )}
    </li>
  );
}

/** What else signs this user in. */
export function BindingsCard({ self }: { self: User }) {
  const [opened, setOpened] = useState<Opened>();
  const bindings = useBindings(self, setOpened);
  const close = () => setOpened(undefined);
  return (
    <Card title={bind_title()} text={bind_text()}>
      <ul className="-my-1 flex flex-col divide-y divide-line">
        {bindings.map((binding, index) => (
          <Row key={binding.name} binding={binding} replaceable={index === 0} />
        ))}
      </ul>
      {opened === 'email' && <EmailDialog onClose={close} />}
      {opened === 'wechat' && <WeChatBinding onClose={close} />}
      {opened === 'telegram' && <TelegramBinding onClose={close} />}
    </Card>
  );
}
