import type { InboxEntry } from '@tollgate/contract';
import { HandCoins, RotateCcw, RotateCw } from 'lucide-react';
import { useState } from 'react';
import {
  payment_credit,
  payment_foreign,
  payment_replay,
  payment_replay_done,
  payment_replay_text,
  payment_replay_title,
} from '../../i18n/generated/messages.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { part } from '../../ui/part.tsx';
import { faceOf, isForeign, mayCredit, mayReplay } from './model.ts';
import { useReplay } from './queries.ts';

const CreditDialog = part(() => import('./CreditDialog.tsx'), 'CreditDialog');

const RefundDialog = part(() => import('./RefundDialog.tsx'), 'RefundDialog');

function ReplayButton({ entry }: { entry: InboxEntry }) {
  const replay = useReplay();
  const run = async () => {
    const question = { title: payment_replay_title(), text: payment_replay_text(), confirmLabel: payment_replay() };
    if (!(await confirm(question))) return;
    replay.mutate(entry.id, {
      onError: notifyError,
      onSuccess({ verdict }) {
        const { text, tone } = faceOf(verdict);
        notify(tone === 'ok' ? 'ok' : 'warn', payment_replay_done({ result: text }));
      },
    });
  };
  return <IconButton icon={RotateCw} label={payment_replay()} size="sm" disabled={replay.isPending} onClick={() => void run()} />;
}

/** What may be done about a notice: judge it again, or say whose money it is, or what a refund was of its payment. */
export function EntryActions({ entry }: { entry: InboxEntry }) {
  const [open, setOpen] = useState(false);
  const [label, icon, Dialog] = isForeign(entry)
    ? [payment_foreign(), RotateCcw, RefundDialog]
    : [payment_credit(), HandCoins, CreditDialog];
  return (
    <span className="inline-flex items-center justify-end gap-1">
      {mayReplay(entry) && <ReplayButton entry={entry} />}
      {(isForeign(entry) || mayCredit(entry)) && (
        <Button size="sm" icon={icon} onClick={() => setOpen(true)}>
          {label}
        </Button>
      )}
      {open && <Dialog entry={entry} onClose={() => setOpen(false)} />}
    </span>
  );
}
