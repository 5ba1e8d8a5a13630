import type { TopupOrder } from '@tollgate/contract';
import { RotateCcw } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { payment_reverse } from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { mayReverse } from './model.ts';

const ReverseDialog = lazy(async () => ({ default: (await import('./ReverseDialog.tsx')).ReverseDialog }));

/** What may be done about a paid order. */
export function OrderActions({ order }: { order: TopupOrder }) {
  const [open, setOpen] = useState(false);
  if (!mayReverse(order)) return null;
  return (
    <>
      <IconButton icon={RotateCcw} label={payment_reverse()} size="sm" onClick={() => setOpen(true)} />
      {open && (
        <Suspense>
          <ReverseDialog order={order} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
