import { useQuery } from '@tanstack/react-query';
import type { User } from '@tollgate/contract';
import { type ReactNode, useState } from 'react';
import { inviteCodeQuery } from '../../api/self.ts';
import { serverAddressOf, useStatus } from '../../api/status.ts';
import {
  invite_code,
  invite_copy_code,
  invite_copy_link,
  invite_count,
  invite_history,
  invite_link,
  invite_pending,
  invite_text,
  invite_title,
  invite_transfer,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Button } from '../Button.tsx';
import { Card } from '../Card.tsx';
import { CopyLine } from '../CopyLine.tsx';
import { Figure } from '../Figure.tsx';
import { part } from '../part.tsx';
import { Quota } from '../Quota.tsx';

const TransferDialog = part(() => import('./TransferDialog.tsx'), 'TransferDialog');

/** Inviting others, and what it earned. */
export function InviteCard({ self, children }: { self: User; children?: ReactNode }) {
  const { data: code = self.aff_code } = useQuery({ ...inviteCodeQuery, enabled: self.aff_code === '' });
  const status = useStatus();
  const [open, setOpen] = useState(false);
  const link = `${serverAddressOf(status)}/register?aff=${encodeURIComponent(code)}`;
  return (
    <Card
      title={invite_title()}
      text={invite_text()}
      aside={
        <Button size="sm" disabled={self.aff_quota <= 0} onClick={() => setOpen(true)}>
          {invite_transfer()}
        </Button>
      }
    >
      <dl className="mb-3 flex flex-wrap gap-2 *:min-w-fit *:flex-1">
        <Figure label={invite_pending()}>
          <Quota value={self.aff_quota} />
        </Figure>
        <Figure label={invite_history()}>
          <Quota value={self.aff_history_quota} />
        </Figure>
        <Figure label={invite_count()}>{formatUnits(self.aff_count)}</Figure>
      </dl>
      <div className="flex flex-col gap-2">
        <CopyLine label={invite_code()} value={code} copyLabel={invite_copy_code()} />
        <CopyLine label={invite_link()} value={link} copyLabel={invite_copy_link()} />
      </div>
      {children}
      {open && <TransferDialog pending={self.aff_quota} onClose={() => setOpen(false)} />}
    </Card>
  );
}
