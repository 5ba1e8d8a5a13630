import { type Announcement, type AnnouncementKind, announcementKinds } from '@tollgate/contract';
import { useState } from 'react';
import {
  action_save,
  announce_content,
  announce_content_hint,
  announce_content_missing,
  announce_create,
  announce_edit,
  announce_kind,
  announce_preview,
  announce_publish,
  announce_published,
  announce_tell,
  announce_tell_hint,
  announce_title,
  announce_title_missing,
  save_done,
} from '../../i18n/generated/messages.ts';
import { Field, SwitchField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { part } from '../../ui/part.tsx';
import { kindFaces } from './kinds.ts';
import { useCreation, useUpdate } from './queries.ts';

const Markup = part(() => import('../../ui/markup/Markup.tsx'), 'Markup');

type Texts = { title: string; content: string };

function faultsOf({ title, content }: Texts) {
  return {
    title: title.trim() === '' ? announce_title_missing() : undefined,
    content: content.trim() === '' ? announce_content_missing() : undefined,
  };
}

/** Writes a new announcement, or another text for one that stands. */
export function EditDialog({ announcement, onClose }: { announcement: Announcement | undefined; onClose(): void }) {
  const creation = useCreation();
  const update = useUpdate();
  const [kind, setKind] = useState<AnnouncementKind>(announcement?.kind ?? 'announcement');
  const [tell, setTell] = useState(true);
  const form = useSmallForm({ title: announcement?.title ?? '', content: announcement?.content ?? '' }, faultsOf);
  const done = (text: string) => ({
    onSuccess: () => {
      notify('ok', text);
      onClose();
    },
  });
  const submit = form.submit((texts) =>
    announcement === undefined
      ? creation.mutate({ ...texts, kind, tell }, done(announce_published()))
      : update.mutate({ ...texts, kind, id: announcement.id }, done(save_done())),
  );
  const error = creation.error ?? update.error;
  const { content } = form.values;
  const dirty = form.dirty || kind !== (announcement?.kind ?? 'announcement') || !tell;
  return (
    <FormDialog
      title={announcement === undefined ? announce_create() : announce_edit()}
      wide
      onClose={onClose}
      dirty={dirty}
      submitLabel={announcement === undefined ? announce_publish() : action_save()}
      onSubmit={submit}
      pending={creation.isPending || update.isPending}
      error={error}
    >
      <Field label={announce_kind()}>
        {(control) => (
          <select
            {...control}
            className="control"
            value={kind}
            onChange={(event) => setKind(announcementKinds.find((name) => name === event.currentTarget.value) ?? 'announcement')}
          >
            {announcementKinds.map((name) => (
              <option key={name} value={name}>
                {kindFaces[name].text()}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={announce_title()} error={form.errors.title} required>
        {(control) => <input {...control} {...form.field('title')} data-autofocus className="control" maxLength={120} />}
      </Field>
      <Field label={announce_content()} hint={announce_content_hint()} error={form.errors.content} required>
        {(control) => <textarea {...control} {...form.field('content')} className="control min-h-40 py-2" maxLength={50_000} />}
      </Field>
      {content.trim() !== '' && (
        <section aria-label={announce_preview()} className="rounded-md border px-3 py-2">
          <p className="mb-1 text-muted text-xs">{announce_preview()}</p>
          <Markup source={content} />
        </section>
      )}
      {announcement === undefined && (
        <SwitchField label={announce_tell()} hint={announce_tell_hint()} checked={tell} onChange={setTell} />
      )}
    </FormDialog>
  );
}
