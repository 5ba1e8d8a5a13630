import { useMutation } from '@tanstack/react-query';
import type { LoginAnswer } from '@tollgate/contract';
import { ExternalLink, Fingerprint, MessageSquare } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { canUsePasskeys, enabledProviders, providerNames } from '../../api/doors.ts';
import { textOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import { useStatus } from '../../api/status.ts';
import { login_or, login_passkey, login_with, login_with_wechat } from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { part } from '../../ui/part.tsx';
import { passkeyFaultText, signInWithPasskey } from '../../ui/signin/passkey.ts';
import { useProviders } from '../../ui/signin/provider.ts';
import { TelegramFrame } from '../../ui/signin/TelegramFrame.tsx';
import { knownAff } from './invite-code.ts';
import { useAdmission } from './queries.ts';

const WeChatDialog = part(() => import('../../ui/signin/WeChatDialog.tsx'), 'WeChatDialog');

interface Props {
  /** `fallback`: where this door leads when no other page was asked for. */
  onAnswer(answer: LoginAnswer, fallback?: string): void;
}

/** What signs somebody in: admits them unless a second step is due. */
function useDoor<Input>(enter: (input: Input) => Promise<LoginAnswer>, onAnswer: (answer: LoginAnswer) => void) {
  const admit = useAdmission();
  return useMutation({
    mutationFn: enter,
    onSuccess(answer) {
      if (!answer.totp_required) admit(answer);
      onAnswer(answer);
    },
  });
}

function PasskeyButton({ onAnswer }: Props) {
  const door = useDoor(signInWithPasskey, onAnswer);
  const open = () => door.mutate(undefined, { onError: (error) => notify('bad', passkeyFaultText(error)) });
  return (
    <Button icon={Fingerprint} size="lg" className="w-full" pending={door.isPending} onClick={open}>
      {login_passkey()}
    </Button>
  );
}

function WeChatDoor({ onAnswer }: Props) {
  const [open, setOpen] = useState(false);
  const door = useDoor(
    (code: string) => call(routes.signIn.wechat, { query: { code, aff: knownAff() } }),
    (answer) => onAnswer(answer, '/'),
  );
  return (
    <>
      <Button icon={MessageSquare} size="lg" className="w-full" onClick={() => setOpen(true)}>
        {login_with_wechat()}
      </Button>
      {open && (
        <WeChatDialog
          pending={door.isPending}
          error={door.error ? textOf(door.error) : undefined}
          onCode={(code) => door.mutate(code)}
          onClose={() => {
            setOpen(false);
            door.reset();
          }}
        />
      )}
    </>
  );
}

function TelegramDoor({ bot, onAnswer }: Props & { bot: string }) {
  const door = useDoor(
    (query: Record<string, string>) => call(routes.signIn.telegram, { query }),
    (answer) => onAnswer(answer, '/'),
  );
  return <TelegramFrame bot={bot} onFields={(fields) => door.mutate(fields, { onError: notifyError })} />;
}

/** Every way to sign in beside the password: a passkey, and what the operator switched on. */
export function MoreDoors({ onAnswer }: Props) {
  const status = useStatus();
  const providers = enabledProviders(status);
  const doors = useProviders();
  const passkeys = canUsePasskeys();
  const telegram = status?.telegram_oauth ? status.telegram_bot_name : '';
  if (!passkeys && providers.length === 0 && !status?.wechat_login && !telegram) return null;
  return (
    <section aria-label={login_or()} className="flex flex-col gap-2">
      <p
        aria-hidden
        className="my-1 flex items-center gap-3 text-muted text-xs before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line"
      >
        {login_or()}
      </p>
      {passkeys && <PasskeyButton onAnswer={onAnswer} />}
      {providers.map((provider) => (
        <Button
          key={provider}
          icon={ExternalLink}
          size="lg"
          className="w-full"
          pending={provider === doors.opening}
          onClick={() => doors.open(provider, knownAff())}
        >
          {login_with({ name: providerNames[provider] })}
        </Button>
      ))}
      {status?.wechat_login && <WeChatDoor onAnswer={onAnswer} />}
      {telegram && <TelegramDoor bot={telegram} onAnswer={onAnswer} />}
    </section>
  );
}
