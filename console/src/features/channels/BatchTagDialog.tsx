import { useRef } from 'react';
import { useBatchTag } from '../../api/channel-ops.ts';
import { textOf } from '../../api/errors.ts';
import { action_save, batch_tag_done, batch_tag_empty, batch_tag_title, channel_tag } from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';

const formId = 'batch-tag-form';

/** One tag for all selected channels. */
export function BatchTagDialog({ ids, close, done }: { ids: readonly number[]; close(): void; done(): void }) {
  const mutation = useBatchTag();
  const field = useRef<HTMLInputElement>(null);
  const form = useSmallForm({ tag: '' }, ({ tag }) => (tag.trim() === '' ? { tag: batch_tag_empty() } : {}));
  const save = ({ tag }: { tag: string }) =>
    mutation.mutate(
      { ids, tag: tag.trim() },
      {
        onSuccess: (count) => {
          notify('ok', batch_tag_done({ count }));
          close();
          done();
        },
      },
    );
  return (
    <Dialog
      title={batch_tag_title({ count: ids.length })}
      onClose={close}
      dirty={form.dirty}
      initialFocus={field}
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={formId} tone="primary" pending={mutation.isPending}>
            {action_save()}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={form.submit(save)}>
        <Field label={channel_tag()} error={form.errors.tag ?? (mutation.error ? textOf(mutation.error) : undefined)} required>
          {(control) => (
            <input {...control} {...form.field('tag')} ref={field} className="control" autoComplete="off" maxLength={255} />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
