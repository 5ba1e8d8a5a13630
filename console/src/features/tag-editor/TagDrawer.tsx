import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Channel } from '@tollgate/contract';
import { type SubmitEvent, useState } from 'react';
import { tagModelsQuery, useTagUpdate } from '../../api/channel-ops.ts';
import {
  action_cancel,
  action_save,
  save_done,
  tag_affects,
  tag_dissolve,
  tag_dissolve_text,
  tag_dissolve_title,
  tag_editor_note,
  tag_editor_title,
  tag_missing,
  tag_unchanged,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { keepEnter } from '../../ui/form/keepEnter.ts';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { notify } from '../../ui/notify.ts';
import { Drawer } from '../../ui/overlay/Drawer.tsx';
import { confirm } from '../../ui/overlays.ts';
import { mappingFault, type TagDraft, tagDraftOf, tagUpdateOf } from './model.ts';
import { TagFields } from './TagFields.tsx';

const parent = getRouteApi('/_console/_admin/channel');
const route = getRouteApi('/_console/_admin/channel/tag/$tag');
const formId = 'tag-form';

/** How many channels carry the tag, where a list by tags is at hand. */
function useTagSize(tag: string): number {
  // Draws again when the list behind has arrived.
  useIsFetching({ queryKey: ['channel'] });
  const lists = useQueryClient().getQueriesData<Channel[]>({
    queryKey: ['channel'],
    predicate: ({ queryKey }) => (queryKey[1] === 'list' || queryKey[1] === 'search') && queryKey.at(-1) === true,
  });
  const sizes = lists.map(([, rows = []]) => {
    const own = rows.filter((row) => row.tag === tag);
    // The last row may stand for all of the next page's first tag.
    return own.length === 1 && own[0] === rows.at(-1) ? 0 : own.length;
  });
  return Math.max(0, ...sizes);
}

function useSave(tag: string, finish: () => void) {
  const update = useTagUpdate();
  const save = async (draft: TagDraft) => {
    const body = tagUpdateOf(tag, draft);
    if (!body) return notify('warn', tag_unchanged());
    if (body.new_tag === '') {
      const question = { title: tag_dissolve_title({ tag }), text: tag_dissolve_text({ tag }), confirmLabel: tag_dissolve() };
      if (!(await confirm(question))) return;
    }
    update.mutate(body, {
      onSuccess: () => {
        notify('ok', save_done());
        finish();
      },
    });
  };
  return { save, pending: update.isPending, error: update.error };
}

function TagEditor({ tag, close }: { tag: string; close(): void }) {
  const [draft, setDraft] = useState(() => tagDraftOf(tag));
  const [submitted, setSubmitted] = useState(false);
  const guard = useGuard(tagUpdateOf(tag, draft) !== undefined);
  const count = useTagSize(tag);
  const { save, pending, error } = useSave(tag, () => {
    guard.release();
    close();
  });
  // No channel is without models. A tag that was just given up goes with the drawer.
  const missing = useQuery(tagModelsQuery(tag)).data === '' && count === 0 && !pending;
  const fault = mappingFault(draft.mapping);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (fault) notify('bad', fault);
    else void save(draft);
  };
  return (
    <Drawer
      title={tag_editor_title({ tag })}
      onClose={close}
      footer={
        <>
          {count > 0 && <span className="mr-auto text-muted">{tag_affects({ count })}</span>}
          <Button onClick={close}>{action_cancel()}</Button>
          <Button type="submit" form={formId} tone="primary" pending={pending} disabled={missing}>
            {action_save()}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} onKeyDown={keepEnter} className="flex flex-col gap-3.5">
        <Alert tone={missing ? 'bad' : 'info'}>{missing ? tag_missing() : tag_editor_note()}</Alert>
        <SaveFault error={error} />
        <TagFields
          tag={tag}
          draft={draft}
          change={(next) => setDraft({ ...draft, ...next })}
          mappingError={submitted ? fault : undefined}
        />
      </form>
    </Drawer>
  );
}

/** /channel/tag/$tag: changes all channels of a tag. */
export function TagDrawer() {
  const { tag } = route.useParams();
  const navigate = parent.useNavigate();
  return <TagEditor key={tag} tag={tag} close={() => void navigate({ to: '/channel', search: true })} />;
}
