import { type Token, tokenStatus } from '@tollgate/contract';
import { PowerOff, Trash2 } from 'lucide-react';
import { useTokenBatch } from '../../api/token-batch.ts';
import {
  action_delete,
  action_disable,
  batch_delete_tokens,
  batch_delete_tokens_text,
  batch_disable_title,
  batch_disable_tokens,
  done,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { SelectionBar } from '../../ui/batch/SelectionBar.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';

/** What is done with the selected tokens. */
export function TokenBar({ tokens, clear }: { tokens: readonly Token[]; clear(): void }) {
  const batch = useTokenBatch();
  const enabled = tokens.filter(({ status }) => status === tokenStatus.enabled);
  const run = async (chosen: readonly Token[], remove: boolean) => {
    const count = chosen.length;
    const question = remove
      ? { title: batch_delete_tokens({ count }), text: batch_delete_tokens_text(), confirmLabel: action_delete() }
      : { title: batch_disable_title({ count }), text: batch_disable_tokens(), confirmLabel: action_disable() };
    if (!(await confirm({ ...question, tone: 'bad' }))) return;
    const onSuccess = () => {
      notify('ok', done());
      clear();
    };
    batch.mutate({ ids: chosen.map(({ id }) => id), remove }, { onError: notifyError, onSuccess });
  };
  return (
    <SelectionBar count={tokens.length} clear={clear}>
      <Button icon={PowerOff} disabled={enabled.length === 0} pending={batch.isPending} onClick={() => void run(enabled, false)}>
        {action_disable()}
      </Button>
      <Button tone="bad" icon={Trash2} pending={batch.isPending} onClick={() => void run(tokens, true)}>
        {action_delete()}
      </Button>
    </SelectionBar>
  );
}
