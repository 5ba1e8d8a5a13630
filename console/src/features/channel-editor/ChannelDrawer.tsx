import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Channel } from '@tollgate/contract';
import { Zap } from 'lucide-react';
import { useState } from 'react';
import { channelQuery, newestChannels, useChannelCreation, useChannelUpdate } from '../../api/channels.ts';
import { ApiError } from '../../api/errors.ts';
import {
  action_continue,
  action_save,
  channel_add,
  channel_create,
  channel_create_test,
  channel_created,
  channel_edit,
  channel_moved,
  channel_save_test,
  channel_test_failed,
  channel_v1_text,
  channel_v1_title,
  save_done,
  save_unchanged,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { useReportedTest } from '../../ui/channel/useReportedTest.ts';
import { EditorDrawer, EditorPlaceholder } from '../../ui/form/EditorDrawer.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { notify, notifyErrorAs } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { type ChannelDraft, draftOf, keysOf, movedOf, newDraft, toChange, toInput } from './draft.ts';
import { channelSchema } from './schema.ts';
import { Advanced, SettingField } from './sections/Advanced.tsx';
import { Basics } from './sections/Basics.tsx';
import { Behaviour } from './sections/Behaviour.tsx';
import { Credentials } from './sections/Credentials.tsx';
import type { ChannelForm } from './sections/form.ts';
import { Mapping } from './sections/Mapping.tsx';
import { Models } from './sections/Models.tsx';
import { Routing } from './sections/Routing.tsx';
import { multiKeyOf } from './settings.ts';
import { describeType } from './types/index.ts';

const parent = getRouteApi('/_console/_admin/channel');
const editRoute = getRouteApi('/_console/_admin/channel/edit/$id');

function useClose(): () => void {
  const navigate = parent.useNavigate();
  return () => void navigate({ to: '/channel', search: true });
}

/** Paths are appended by us: an address that already ends in one is nearly always a mistake. */
async function addressIsMeant(draft: ChannelDraft, channel: Channel | undefined): Promise<boolean> {
  const address = draft.baseUrl.trim().replace(/\/+$/, '');
  if (!/\/v1(\/chat\/completions)?$/.test(address) || describeType(draft.type).completeUrl || address === channel?.base_url)
    return true;
  return confirm({ title: channel_v1_title(), text: channel_v1_text(), confirmLabel: action_continue() });
}

function useSave(channel: Channel | undefined, finish: () => void, showMoved: (seen: Record<string, unknown>) => void) {
  const create = useChannelCreation();
  const update = useChannelUpdate();
  const test = useReportedTest();
  const testNewest = (name: string, count: number) =>
    newestChannels(name, count).then(
      (made) => {
        for (const each of made) test.run(each);
      },
      notifyErrorAs((reason) => channel_test_failed({ name, reason })),
    );
  const createNew = async (draft: ChannelDraft, andTest: boolean) => {
    await create.mutateAsync(toInput(draft));
    const count = multiKeyOf(draft.setting) ? 1 : keysOf(draft).length;
    notify('ok', channel_created({ count }));
    finish();
    if (andTest) await testNewest(draft.name.trim(), count);
  };
  const change = async (draft: ChannelDraft, stored: Channel, andTest: boolean) => {
    const fields = toChange(draft, stored);
    const unchanged = Object.keys(fields).length === 0;
    if (unchanged && !andTest) return notify('warn', save_unchanged());
    if (!unchanged) {
      const onError = (error: Error) => error instanceof ApiError && error.status === 409 && showMoved(fields.seen ?? {});
      await update.mutateAsync({ id: stored.id, ...fields }, { onError });
      notify('ok', save_done());
    }
    finish();
    if (andTest) test.run({ id: stored.id, name: draft.name.trim() });
  };
  const save = async (draft: ChannelDraft, andTest: boolean) => {
    if (!(await addressIsMeant(draft, channel))) return;
    // What was refused stands above the form.
    await (channel ? change(draft, channel, andTest) : createNew(draft, andTest)).catch(() => undefined);
  };
  return { save, pending: create.isPending || update.isPending, error: create.error ?? update.error };
}

function Fields({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  return (
    <>
      <Basics form={form} />
      <Credentials form={form} channel={channel} />
      {describeType(form.watch('type')).settingInMain && (
        <div className="mb-5 border-b pb-5">
          <SettingField form={form} />
        </div>
      )}
      <Models form={form} channel={channel} />
      <Mapping form={form} />
      <Routing form={form} />
      <Behaviour form={form} />
      <Advanced form={form} />
    </>
  );
}

function Editor({ title, channel: fresh }: { title: string; channel?: Channel }) {
  const close = useClose();
  // As the form was filled: what is read meanwhile must not pass for what was seen.
  const [channel, setChannel] = useState(fresh);
  const [moved, setMoved] = useState<[string, unknown][]>([]);
  const client = useQueryClient();
  const form = useSchemaForm<ChannelDraft, ChannelDraft>(channelSchema(channel), channel ? draftOf(channel) : newDraft());
  const guard = useGuard(form.formState.isDirty);
  const finish = () => {
    guard.release();
    close();
  };
  // Saved again, what is entered takes the place of what is shown now.
  const showMoved = (seen: Record<string, unknown>) => {
    const now = channel && client.getQueryData(channelQuery(channel.id).queryKey);
    if (!now) return;
    const fields = movedOf(seen, now);
    setMoved(fields);
    setChannel({ ...channel, ...Object.fromEntries(fields) });
  };
  const { save, ...saving } = useSave(channel, finish, showMoved);
  return (
    <EditorDrawer
      title={title}
      width="wide"
      onClose={close}
      submitLabel={channel ? action_save() : channel_create()}
      onSubmit={form.handleSubmit((draft) => save(draft, false))}
      saving={saving}
      note={
        moved.length > 0 && (
          <Alert tone="warn">
            {channel_moved()}
            {moved.map(([name, value]) => (
              <p key={name} className="mt-1 break-words">
                {name}: <code>{String(value) || '–'}</code>
              </p>
            ))}
          </Alert>
        )
      }
      actions={
        <Button icon={Zap} disabled={saving.pending} onClick={form.handleSubmit((draft) => save(draft, true))}>
          {channel ? channel_save_test() : channel_create_test()}
        </Button>
      }
    >
      <Fields form={form} channel={channel} />
    </EditorDrawer>
  );
}

/** /channel/add */
export function AddChannel() {
  return <Editor title={channel_add()} />;
}

/** /channel/edit/$id */
export function EditChannel() {
  const id = Number(editRoute.useParams().id);
  const close = useClose();
  const { data, error } = useQuery(channelQuery(id));
  if (data) return <Editor key={data.id} title={channel_edit({ name: data.name })} channel={data} />;
  return <EditorPlaceholder title={channel_edit({ name: `#${id}` })} width="wide" onClose={close} error={error} />;
}
