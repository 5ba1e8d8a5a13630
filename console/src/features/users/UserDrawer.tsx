import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { User } from '@tollgate/contract';
import { useState } from 'react';
import { isUnanswered } from '../../api/errors.ts';
import { useSession } from '../../api/session.ts';
import { useMoney, useMoneyKey } from '../../api/status.ts';
import {
  action_save,
  save_done,
  save_unchanged,
  users_add,
  users_create,
  users_created,
  users_edit,
  users_status_gone,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { EditorDrawer, EditorPlaceholder } from '../../ui/form/EditorDrawer.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { notify } from '../../ui/notify.ts';
import { changeOf, draftOf, newUser, type UserDraft, userSchema } from './draft.ts';
import { userQuery, useUserCreation, useUserUpdate } from './queries.ts';
import { Bound, Limits, Names, QuotaSection } from './sections.tsx';

const parent = getRouteApi('/_console/_admin/user');
const editRoute = getRouteApi('/_console/_admin/user/edit/$id');

function useClose(): () => void {
  const navigate = parent.useNavigate();
  return () => void navigate({ to: '/user', search: true });
}

/** `unknown`: no answer came to a change, which may have been done. */
function useSave(user: User | undefined, finish: () => void, unknown: () => void) {
  const format = useMoney();
  const create = useUserCreation();
  const update = useUserUpdate();
  const save = (draft: UserDraft) => {
    const onSuccess = () => {
      notify('ok', user ? save_done() : users_created());
      finish();
    };
    if (!user) {
      const { username, display_name, password } = draft;
      return create.mutate({ username: username.trim(), display_name: display_name.trim(), password }, { onSuccess });
    }
    const change = changeOf(user, draft, format);
    const onError = (error: Error) => isUnanswered(error) && unknown();
    if (change) update.mutate(change, { onSuccess, onError });
    else notify('warn', save_unchanged());
  };
  return { save, pending: create.isPending || update.isPending, error: create.error ?? update.error };
}

function Editor({ title, user: fresh }: { title: string; user?: User }) {
  const close = useClose();
  // As the form was filled: what is read meanwhile must not pass for what was seen.
  const [user, setUser] = useState(fresh);
  const client = useQueryClient();
  const format = useMoney();
  const session = useSession();
  const before = user && draftOf(user, format);
  const form = useSchemaForm<UserDraft, UserDraft>(userSchema(before, format), before ?? newUser);
  const guard = useGuard(form.formState.isDirty);
  const finish = () => {
    guard.release();
    close();
  };
  // Perhaps the quota was changed: booking the same difference again is for whoever sees what it is now.
  const showQuota = () => {
    const now = user && client.getQueryData(userQuery(user.id).queryKey);
    if (!now) return;
    setUser(now);
    form.setValue('quota', draftOf(now, format).quota);
  };
  const { save, ...saving } = useSave(user, finish, showQuota);
  return (
    <EditorDrawer
      title={title}
      onClose={close}
      submitLabel={user ? action_save() : users_create()}
      onSubmit={form.handleSubmit(save)}
      saving={saving}
    >
      <Names form={form} isNew={!user} isOwn={user !== undefined && user.id === session?.id} />
      {user && <QuotaSection form={form} was={user.quota} />}
      {user && <Bound user={user} />}
      {user && <Limits form={form} />}
    </EditorDrawer>
  );
}

/** /user/add */
export function AddUser() {
  return <Editor title={users_add()} />;
}

/** /user/edit/$id */
export function EditUser() {
  const id = Number(editRoute.useParams().id);
  const close = useClose();
  const { data, error } = useQuery(userQuery(id));
  const unit = useMoneyKey();
  const title = users_edit({ name: data?.username ?? `#${id}` });
  if (data?.DeletedAt === null) return <Editor key={data.id + unit} title={title} user={data} />;
  return (
    <EditorPlaceholder title={title} onClose={close} error={error}>
      {data && <Alert tone="warn">{users_status_gone()}</Alert>}
    </EditorPlaceholder>
  );
}
