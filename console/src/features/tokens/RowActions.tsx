import { Link, useNavigate } from '@tanstack/react-router';
import type { Token } from '@tollgate/contract';
import { BookOpen, Copy, KeyRound, RotateCw, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { isAdmin, useSession } from '../../api/session.ts';
import { serverAddressOf, useStatus } from '../../api/status.ts';
import { useOldKeyRemoval, useTokenRemoval } from '../../api/tokens.ts';
import {
  action_delete,
  delete_done,
  done,
  howto_open,
  old_key_end,
  old_key_end_text,
  old_key_end_title,
  rotate_action,
  token_copy_key,
  token_copy_with_address,
  token_delete_text,
  token_delete_title,
  token_log,
} from '../../i18n/generated/messages.ts';
import { rowLinkClass } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { part } from '../../ui/part.tsx';
import { EditLink } from '../../ui/table/EditLink.tsx';
import { RowMenu } from '../../ui/table/RowMenu.tsx';
import { ChatMenu } from './ChatMenu.tsx';
import { SwitchButton } from './cells.tsx';
import { fullKey } from './model.ts';

const RotateDialog = part(() => import('./RotateDialog.tsx'), 'RotateDialog');

function useRemoval(token: Token): () => Promise<void> {
  const removal = useTokenRemoval();
  return async () => {
    const sure = await confirm({
      title: token_delete_title({ name: token.name }),
      text: token_delete_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (sure) removal.mutate(token.id, { onError: notifyError, onSuccess: () => notify('ok', delete_done()) });
  };
}

function useOldKeyEnd(token: Token): () => Promise<void> {
  const end = useOldKeyRemoval();
  return async () => {
    const sure = await confirm({
      title: old_key_end_title({ four: token.old_key?.last_four ?? '' }),
      text: old_key_end_text(),
      confirmLabel: old_key_end(),
      tone: 'bad',
    });
    if (sure) end.mutate(token.id, { onError: notifyError, onSuccess: () => notify('ok', done()) });
  };
}

/** What one can do with a token. */
export function RowActions({ token }: { token: Token }) {
  const address = serverAddressOf(useStatus());
  const navigate = useNavigate();
  const session = useSession();
  const remove = useRemoval(token);
  const endOldKey = useOldKeyEnd(token);
  const [isRotating, setRotating] = useState(false);
  const copy = (text: string) => void copyText(text);
  const items = () => [
    { key: 'key', label: token_copy_key(), icon: Copy, onSelect: () => copy(fullKey(token)) },
    { key: 'address', label: token_copy_with_address(), icon: Copy, onSelect: () => copy(`${address}/v1\n${fullKey(token)}`) },
    {
      key: 'log',
      label: token_log(),
      icon: ScrollText,
      onSelect: () =>
        void navigate({ to: '/log', search: { token: token.name, user: isAdmin(session) ? session?.username : undefined } }),
    },
    { key: 'rotate', label: rotate_action(), icon: RotateCw, separated: true, onSelect: () => setRotating(true) },
    ...(token.old_key
      ? [{ key: 'old-key', label: old_key_end(), icon: KeyRound, tone: 'bad' as const, onSelect: () => void endOldKey() }]
      : []),
    { key: 'delete', label: action_delete(), icon: Trash2, tone: 'bad' as const, separated: true, onSelect: () => void remove() },
  ];
  return (
    <span className="inline-flex justify-end">
      <ChatMenu token={token} className={rowLinkClass} />
      <SwitchButton token={token} />
      <Link
        to="/token/use/$id"
        params={{ id: String(token.id) }}
        search={true}
        aria-label={howto_open()}
        data-tip={howto_open()}
        className={rowLinkClass}
      >
        <BookOpen size={16} aria-hidden />
      </Link>
      <EditLink to="/token/edit/$id" id={token.id} />
      <RowMenu items={items} />
      {isRotating && <RotateDialog token={token} onClose={() => setRotating(false)} />}
    </span>
  );
}
