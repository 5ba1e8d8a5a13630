import { Tag, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useBatchRemoval } from '../../api/channel-ops.ts';
import {
  action_clear_selection,
  action_delete,
  batch_delete,
  batch_delete_done,
  batch_delete_none,
  batch_delete_title,
  batch_mode,
  batch_selected,
  batch_tag,
  batch_tag_none,
  channel_delete_text,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';

const BatchTagDialog = lazy(async () => ({ default: (await import('./BatchTagDialog.tsx')).BatchTagDialog }));

/** What is done with the selected channels; stays in sight below the list. */
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
    <section
      aria-label={batch_mode()}
      className="sticky bottom-2 z-10 mt-2 flex flex-wrap items-center gap-2 rounded-lg bg-raised px-3 py-2 shadow-overlay"
    >
      <span aria-live="polite" className="mr-auto font-medium tabular-nums">
        {batch_selected({ count })}
      </span>
      <Button tone="quiet" disabled={count === 0} onClick={clear}>
        {action_clear_selection()}
      </Button>
      <Button icon={Tag} onClick={() => (count === 0 ? notify('warn', batch_tag_none()) : setTagging(true))}>
        {batch_tag()}
      </Button>
      <Button tone="bad" icon={Trash2} pending={removal.isPending} onClick={() => void remove()}>
        {batch_delete()}
      </Button>
      {tagging && (
        <Suspense fallback={null}>
          <BatchTagDialog ids={ids} close={() => setTagging(false)} done={clear} />
        </Suspense>
      )}
    </section>
  );
}
