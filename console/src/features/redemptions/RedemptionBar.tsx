import { type Redemption, redemptionStatus } from '@tollgate/contract';
import { PowerOff } from 'lucide-react';
import { action_disable, batch_disable_codes, batch_disable_title, done } from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { SelectionBar } from '../../ui/batch/SelectionBar.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { useRedemptionDisabling } from './queries.ts';

/** What is done with the selected codes: those that nobody used are withdrawn. */
export function RedemptionBar({ codes, clear }: { codes: readonly Redemption[]; clear(): void }) {
  const disabling = useRedemptionDisabling();
  const ids = codes.filter(({ status }) => status === redemptionStatus.unused).map(({ id }) => id);
  const run = async () => {
    const title = batch_disable_title({ count: ids.length });
    if (!(await confirm({ title, text: batch_disable_codes(), confirmLabel: action_disable(), tone: 'bad' }))) return;
    const onSuccess = () => {
      notify('ok', done());
      clear();
    };
    disabling.mutate(ids, { onError: notifyError, onSuccess });
  };
  return (
    <SelectionBar count={codes.length} clear={clear}>
      <Button icon={PowerOff} disabled={ids.length === 0} pending={disabling.isPending} onClick={() => void run()}>
        {action_disable()}
      </Button>
    </SelectionBar>
  );
}
