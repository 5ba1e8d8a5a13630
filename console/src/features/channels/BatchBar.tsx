import { channelStatus } from '@tollgate/contract';
import { Power, PowerOff, Tag, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useBatchRemoval, useBatchSwitch } from '../../api/channel-ops.ts';
import {
  action_delete,
  action_disable,
  action_enable,
  batch_delete,
  batch_delete_done,
  batch_delete_none,
  batch_delete_title,
  batch_disable_channels,
  batch_disable_title,
  batch_tag,
  batch_tag_none,
  channel_delete_text,
  done,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { SelectionBar } from '../../ui/batch/SelectionBar.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { part } from '../../ui/part.tsx';

const BatchTagDialog = part(() => import('./BatchTagDialog.tsx'), 'BatchTagDialog');

function Switches({ ids, clear }: { ids: readonly number[]; clear(): void }) {
  const change = useBatchSwitch();
  const count = ids.length;
  const set = (status: number) =>
    change.mutate(
      { ids, status },
      {
        onError: notifyError,
        onSuccess: () => {
          notify('ok', done());
          clear();
        },
      },
    );
  const disable = async () => {
    const question = { title: batch_disable_title({ count }), text: batch_disable_channels(), confirmLabel: action_disable() };
    if (await confirm({ ...question, tone: 'bad' })) set(channelStatus.disabled);
  };
  const fixed = { disabled: count === 0, pending: change.isPending };
  return (
    <>
      <Button icon={Power} {...fixed} onClick={() => set(channelStatus.enabled)}>
        {action_enable()}
      </Button>
      <Button icon={PowerOff} {...fixed} onClick={() => void disable()}>
        {action_disable()}
      </Button>
    </>
  );
}

/** What is done with the selected channels. */
export function BatchBar({ ids, clear }: { ids: readonly number[]; clear(): void }) {
  const removal = useBatchRemoval();
  const [tagging, setTagging] = useState(false);
  const count = ids.length;
  const remove = async () => {
    if (count === 0) return notify('warn', batch_delete_none());
    const sure = await confirm({
      title: batch_delete_title({ count }),
      text: channel_delete_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (!sure) return;
    removal.mutate(ids, {
      onError: notifyError,
      onSuccess: (removed) => {
        notify('ok', batch_delete_done({ count: removed }));
        clear();
      },
    });
  };
  return (
    <SelectionBar count={count} clear={clear}>
      <Switches ids={ids} clear={clear} />
      <Button icon={Tag} onClick={() => (count === 0 ? notify('warn', batch_tag_none()) : setTagging(true))}>
        {batch_tag()}
      </Button>
      <Button tone="bad" icon={Trash2} pending={removal.isPending} onClick={() => void remove()}>
        {batch_delete()}
      </Button>
      {tagging && <BatchTagDialog ids={ids} close={() => setTagging(false)} done={clear} />}
    </SelectionBar>
  );
}
