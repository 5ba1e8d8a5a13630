import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  totp_disable,
  totp_enable,
  totp_left,
  totp_off,
  totp_on,
  totp_text,
  totp_title,
} from '../../../i18n/generated/messages.ts';
import { StatusDot } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Unread } from '../../../ui/LoadError.tsx';
import { part } from '../../../ui/part.tsx';
import { totpQuery } from '../queries.ts';

const TotpSetup = part(() => import('../TotpSetup.tsx'), 'TotpSetup');
const TotpOff = part(() => import('../TotpOff.tsx'), 'TotpOff');

/** The second step of this account's sign-ins. */
export function TotpCard() {
  const query = useQuery(totpQuery);
  const { data } = query;
  const [open, setOpen] = useState<'setup' | 'off'>();
  const close = () => setOpen(undefined);
  return (
    <Card
      title={totp_title()}
      text={totp_text()}
      aside={data && <StatusDot tone={data.enabled ? 'ok' : 'grey'}>{data.enabled ? totp_on() : totp_off()}</StatusDot>}
    >
      <Unread query={query} />
      {data && (
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={() => setOpen(data.enabled ? 'off' : 'setup')}>{data.enabled ? totp_disable() : totp_enable()}</Button>
          {data.enabled && (
            <span className={data.recovery_codes_left > 2 ? 'text-muted' : 'text-warn'}>
              {totp_left({ count: data.recovery_codes_left })}
            </span>
          )}
        </div>
      )}
      {open === 'setup' && <TotpSetup onClose={close} />}
      {open === 'off' && <TotpOff onClose={close} />}
    </Card>
  );
}
