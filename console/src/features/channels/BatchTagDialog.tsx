import { useBatchTag } from '../../api/channel-ops.ts';
import { action_save, batch_tag_done, batch_tag_empty, batch_tag_title, channel_tag } from '../../i18n/generated/messages.ts';
import { Field } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';

/** One tag for all selected channels. */
export function BatchTagDialog({ ids, close, done }: { ids: readonly number[]; close(): void; done(): void }) {
  const mutation = useBatchTag();
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
    <FormDialog
      title={batch_tag_title({ count: ids.length })}
      onClose={close}
      dirty={form.dirty}
      submitLabel={action_save()}
      onSubmit={form.submit(save)}
      pending={mutation.isPending}
      error={mutation.error}
    >
      <Field label={channel_tag()} error={form.errors.tag} required>
        {(control) => <input {...control} {...form.field('tag')} className="control" autoComplete="off" maxLength={255} />}
      </Field>
    </FormDialog>
  );
}
