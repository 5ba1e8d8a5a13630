import { useMoney } from '../../api/status.ts';
import { action_close, wallet_redeem_amount, wallet_redeem_done } from '../../i18n/generated/messages.ts';
import { formatQuota } from '../../lib/money.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';

/** What a code brought. */
export function RedeemedDialog({ quota, onClose }: { quota: number; onClose(): void }) {
  const format = useMoney();
  return (
    <Dialog
      title={wallet_redeem_done()}
      onClose={onClose}
      footer={
        <Button tone="primary" onClick={onClose}>
          {action_close()}
        </Button>
      }
    >
      <p className="text-base">{wallet_redeem_amount({ amount: formatQuota(quota, format) })}</p>
    </Dialog>
  );
}
