import type { TopupOrder } from '@tollgate/contract';
import { RotateCcw, Search } from 'lucide-react';
import { useState } from 'react';
import { payment_ask, payment_reverse } from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { part } from '../../ui/part.tsx';
import { answerText, mayReverse } from './model.ts';
import { useAsk } from './queries.ts';

const ReverseDialog = part(() => import('./ReverseDialog.tsx'), 'ReverseDialog');

/** Asks the payment service about an order whose notification may be lost. */
function AskButton({ order }: { order: TopupOrder }) {
  const ask = useAsk();
  const run = () =>
    ask.mutate(order.id, {
      onError: notifyError,
      onSuccess({ outcome }) {
        const { text, tone } = answerText(outcome);
        notify(tone, text);
      },
    });
  return <IconButton icon={Search} label={payment_ask()} size="sm" disabled={ask.isPending} onClick={run} />;
}

/** What may be done about an order: ask its service, take it back. */
export function OrderActions({ order }: { order: TopupOrder }) {
  const [open, setOpen] = useState(false);
  return (
    <span className="inline-flex items-center justify-end gap-1">
      <AskButton order={order} />
      {mayReverse(order) && <IconButton icon={RotateCcw} label={payment_reverse()} size="sm" onClick={() => setOpen(true)} />}
      {open && <ReverseDialog order={order} onClose={() => setOpen(false)} />}
    </span>
  );
}
