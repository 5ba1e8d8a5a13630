import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { User } from '@tollgate/contract';
import { textOf } from '../../api/errors.ts';
import { useMoney } from '../../api/status.ts';
import {
  action_cancel,
  action_save,
  save_done,
  save_unchanged,
  users_add,
  users_create,
  users_created,
  users_edit,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { notify } from '../../ui/notify.ts';
import { Drawer } from '../../ui/overlay/Drawer.tsx';
import { changeOf, draftOf, newUser, type UserDraft, userSchema } from './draft.ts';
import { userQuery, useUserCreation, useUserUpdate } from './queries.ts';
import { Bound, Names, QuotaSection } from './sections.tsx';

const parent = getRouteApi('/_console/_admin/user');
const editRoute = getRouteApi('/_console/_admin/user/edit/$id');
const formId = 'user-form';

function useClose(): () => void {
  const navigate = parent.useNavigate();
  return () => void navigate({ to: '/user', search: true });
}

function useSave(user: User | undefined, finish: () => void) {
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
    if (change) update.mutate(change, { onSuccess });
    else notify('warn', save_unchanged());
  };
  return { save, pending: create.isPending || update.isPending, error: create.error ?? update.error };
}

function Editor({ title, user }: { title: string; user?: User }) {
  const close = useClose();
  const format = useMoney();
  const before = user && draftOf(user, format);
  const form = useSchemaForm<UserDraft, UserDraft>(userSchema(before, format), before ?? newUser);
  const guard = useGuard(form.formState.isDirty);
  const { save, pending, error } = useSave(user, () => {
    guard.release();
    close();
  });
  return (
    <Drawer
      title={title}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>{action_cancel()}</Button>
          <Button type="submit" form={formId} tone="primary" pending={pending}>
            {user ? action_save() : users_create()}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={form.handleSubmit(save)}>
        {error && (
          <div className="mb-4">
            <Alert tone="bad">{textOf(error)}</Alert>
          </div>
        )}
        <Names form={form} isNew={!user} />
        {user && <QuotaSection form={form} />}
        {user && <Bound user={user} />}
      </form>
    </Drawer>
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
  if (data) return <Editor key={data.id} title={users_edit({ name: data.username })} user={data} />;
  return (
    <Drawer title={users_edit({ name: `#${id}` })} onClose={close}>
      {error ? <Alert tone="bad">{textOf(error)}</Alert> : <FormSkeleton />}
    </Drawer>
  );
}
