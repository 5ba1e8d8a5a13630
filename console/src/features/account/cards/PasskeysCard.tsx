import { useQuery } from '@tanstack/react-query';
import type { Passkey } from '@tollgate/contract';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { canUsePasskeys } from '../../../api/doors.ts';
import {
  action_delete,
  delete_done,
  passkeys_add,
  passkeys_created,
  passkeys_delete,
  passkeys_delete_text,
  passkeys_delete_title,
  passkeys_none,
  passkeys_rename,
  passkeys_text,
  passkeys_title,
  passkeys_unsupported,
  passkeys_unused,
  passkeys_used,
} from '../../../i18n/generated/messages.ts';
import { formatTime } from '../../../lib/time.ts';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Unread } from '../../../ui/LoadError.tsx';
import { notify, notifyError } from '../../../ui/notify.ts';
import { confirm } from '../../../ui/overlays.ts';
import { part } from '../../../ui/part.tsx';
import { passkeysQuery, usePasskeyRemoval } from '../queries.ts';

const PasskeyDialog = part(() => import('../PasskeyDialog.tsx'), 'PasskeyDialog');

function Row({ passkey, rename }: { passkey: Passkey; rename(): void }) {
  const removal = usePasskeyRemoval();
  const { name } = passkey;
  const remove = async () => {
    const sure = await confirm({
      title: passkeys_delete_title({ name }),
      text: passkeys_delete_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (sure) removal.mutate(passkey.id, { onError: notifyError, onSuccess: () => notify('ok', delete_done()) });
  };
  const created = passkeys_created({ time: formatTime(passkey.created_at) });
  const used = passkey.used_at === 0 ? passkeys_unused() : passkeys_used({ time: formatTime(passkey.used_at) });
  return (
    <li className="flex min-h-11 items-center gap-1 py-1">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{name}</p>
        <p className="text-muted text-xs">{`${created} · ${used}`}</p>
      </div>
      <IconButton icon={Pencil} label={passkeys_rename({ name })} size="sm" onClick={rename} />
      <IconButton icon={Trash2} label={passkeys_delete({ name })} size="sm" tone="bad" onClick={() => void remove()} />
    </li>
  );
}

/** Passkeys of this account. */
export function PasskeysCard() {
  const query = useQuery(passkeysQuery);
  const { data } = query;
  const [open, setOpen] = useState<Passkey | 'new'>();
  const usable = canUsePasskeys();
  return (
    <Card title={passkeys_title()} text={passkeys_text()}>
      <Unread query={query} />
      {data?.length === 0 && <p className="mb-2 text-muted">{passkeys_none()}</p>}
      {data && data.length > 0 && (
        <ul className="-mt-1 mb-2 flex flex-col divide-y divide-line">
          {data.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} rename={() => setOpen(passkey)} />
          ))}
        </ul>
      )}
      {usable ? (
        <Button icon={Plus} onClick={() => setOpen('new')}>
          {passkeys_add()}
        </Button>
      ) : (
        <p className="text-muted text-xs">{passkeys_unsupported()}</p>
      )}
      {open && <PasskeyDialog passkey={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}
