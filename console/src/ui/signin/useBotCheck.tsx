import { type ReactNode, useState } from 'react';
import { useStatus } from '../../api/status.ts';
import { bot_check_wait } from '../../i18n/generated/messages.ts';
import { notify } from '../notify.ts';
import { part } from '../part.tsx';

const Turnstile = part(
  () => import('./Turnstile.tsx'),
  'Turnstile',
  () => <div className="h-[87px]" />,
);

export interface BotCheck {
  /**
   * What the next call carries in its query: nothing where the check is switched off, else a token, which is good once and
   * is renewed by itself. Undefined, with a toast, while the check has not finished.
   */
  take(): { turnstile?: string } | undefined;
  /** Stands in the form; null where the check is switched off. */
  widget: ReactNode;
}

/** The bot check of a form. Its script is loaded only where the operator switched it on. */
export function useBotCheck(): BotCheck {
  const status = useStatus();
  const siteKey = status?.turnstile_check ? status.turnstile_site_key : '';
  const [token, setToken] = useState('');
  const [round, setRound] = useState(0);
  return {
    take() {
      if (siteKey === '') return {};
      if (token === '') {
        notify('info', bot_check_wait());
        return undefined;
      }
      setToken('');
      setRound(round + 1);
      return { turnstile: token };
    },
    widget: siteKey && <Turnstile siteKey={siteKey} round={round} onToken={setToken} />,
  };
}
