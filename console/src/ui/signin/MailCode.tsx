import { type ComponentProps, useState } from 'react';
import { call } from '../../api/call.ts';
import { textOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import { getSession } from '../../api/session.ts';
import { mail_address, mail_code, mail_code_send, mail_code_sent, mail_code_wait } from '../../i18n/generated/messages.ts';
import { Button } from '../Button.tsx';
import { Field } from '../Field.tsx';
import { notify } from '../notify.ts';
import { useCountdown } from '../useCountdown.ts';
import { addressFault } from './address.ts';
import type { BotCheck } from './useBotCheck.tsx';

const resendSeconds = 30;

interface Input {
  props: ComponentProps<'input'> & { value: string };
  error?: string;
}
interface Props {
  email: Input;
  code: Input;
  bot: BotCheck;
}

/** An address and the code that was mailed to it. */
export function MailCode({ email, code, bot }: Props) {
  const countdown = useCountdown(getSession() ? 'bind-code' : 'register-code');
  const [fault, setFault] = useState('');
  const [sending, setSending] = useState(false);
  const address = email.props.value.trim();
  const send = async () => {
    const wrong = addressFault(address);
    setFault(wrong ?? '');
    const pass = wrong ? undefined : bot.take();
    if (!pass) return;
    setSending(true);
    try {
      await call(routes.signIn.verification, { query: { email: address, ...pass } });
      countdown.start(resendSeconds);
      notify('ok', mail_code_sent());
    } catch (error) {
      setFault(textOf(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <>
      <Field label={mail_address()} error={email.error ?? (fault || undefined)} required>
        {(control) => (
          <input
            {...control}
            {...email.props}
            onChange={(event) => {
              setFault('');
              email.props.onChange?.(event);
            }}
            type="email"
            className="control"
            autoComplete="email"
            maxLength={254}
          />
        )}
      </Field>
      <Field label={mail_code()} error={code.error} required>
        {(control) => (
          <div className="flex gap-2">
            <input
              {...control}
              {...code.props}
              className="control tabular-nums"
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={32}
            />
            <Button disabled={countdown.left > 0} pending={sending} onClick={send}>
              {countdown.left > 0 ? mail_code_wait({ seconds: countdown.left }) : mail_code_send()}
            </Button>
          </div>
        )}
      </Field>
    </>
  );
}
