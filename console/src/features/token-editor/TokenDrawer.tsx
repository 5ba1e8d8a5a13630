import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Token, TokenInput } from '@tollgate/contract';
import { useRef, useState } from 'react';
import { isOutdated } from '../../api/errors.ts';
import { useMoney, useMoneyKey, useStatus } from '../../api/status.ts';
import { tokenQuery, useTokenCreation, useTokenUpdate } from '../../api/tokens.ts';
import {
  action_save,
  save_done,
  token_add,
  token_create,
  token_created,
  token_created_part,
  token_edit,
  token_warning,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { EditorDrawer, EditorPlaceholder } from '../../ui/form/EditorDrawer.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { notify } from '../../ui/notify.ts';
import { Advanced } from './Advanced.tsx';
import { changeOf, draftOf, newDraft, type TokenDraft, toInputs, tokenSchema } from './draft.ts';
import { Access, Basics, QuotaSection } from './sections.tsx';

const parent = getRouteApi('/_console/token');
const editRoute = getRouteApi('/_console/token/edit/$id');

function useClose(): () => void {
  const navigate = parent.useNavigate();
  return () => void navigate({ to: '/token', search: true });
}

/** Creates or updates; says how far a batch came when it broke off, and when the quota may be another by now. */
function useSave(token: Token | undefined, finish: () => void, outdated: () => void) {
  const format = useMoney();
  const create = useTokenCreation();
  const update = useTokenUpdate();
  const left = useRef<TokenInput[]>([]);
  const save = (draft: TokenDraft) => {
    const onSuccess = () => {
      notify('ok', token ? save_done() : token_created());
      finish();
    };
    const onError = (error: Error) => isOutdated(error) && outdated();
    if (token) return update.mutate(changeOf(token, draft, format), { onSuccess, onError });
    // A batch under way is not begun anew by whoever presses twice.
    if (left.current.length > 0) return;
    const inputs = toInputs(draft, format);
    const total = inputs.length;
    left.current = inputs;
    create.mutate(inputs, {
      onSuccess,
      onError() {
        const done = total - inputs.length;
        left.current = [];
        if (done > 0) notify('warn', token_created_part({ done, total }));
      },
    });
  };
  return { save, pending: create.isPending || update.isPending, error: create.error ?? update.error };
}

function Editor({ title, token: fresh }: { title: string; token?: Token }) {
  const close = useClose();
  // As the form was filled: what is read meanwhile must not pass for what was seen.
  const [token, setToken] = useState(fresh);
  const client = useQueryClient();
  const format = useMoney();
  const status = useStatus();
  const before = token && draftOf(token, format);
  const initial = before ?? newDraft(format, status?.default_use_auto_group ? 'auto' : '');
  const form = useSchemaForm<TokenDraft, TokenDraft>(tokenSchema(format, before), initial);
  const guard = useGuard(form.formState.isDirty);
  const finish = () => {
    guard.release();
    close();
  };
  // Perhaps the quota was changed: adding the same difference again is for whoever sees what it is now.
  const showQuota = () => {
    const now = token && client.getQueryData(tokenQuery(token.id).queryKey);
    if (!now) return;
    const { quota, unlimited } = draftOf(now, format);
    setToken(now);
    form.setValue('quota', quota);
    form.setValue('unlimited', unlimited);
  };
  const { save, ...saving } = useSave(token, finish, showQuota);
  return (
    <EditorDrawer
      title={title}
      onClose={close}
      submitLabel={token ? action_save() : token_create()}
      onSubmit={form.handleSubmit(save)}
      saving={saving}
      note={<Alert tone="warn">{token_warning()}</Alert>}
    >
      <Basics form={form} />
      <QuotaSection form={form} isNew={!token} />
      <Access form={form} />
      <Advanced form={form} />
    </EditorDrawer>
  );
}

/** /token/add */
export function AddToken() {
  return <Editor key={useMoneyKey()} title={token_add()} />;
}

/** /token/edit/$id */
export function EditToken() {
  const id = Number(editRoute.useParams().id);
  const close = useClose();
  const { data, error } = useQuery(tokenQuery(id));
  const unit = useMoneyKey();
  if (data) return <Editor key={data.id + unit} title={token_edit({ name: data.name })} token={data} />;
  return <EditorPlaceholder title={token_edit({ name: `#${id}` })} onClose={close} error={error} />;
}
