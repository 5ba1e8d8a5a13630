import { type Redemption, redemptionStatus } from '@tollgate/contract';
import { Pencil, Power, PowerOff, Trash2 } from 'lucide-react';
import {
  action_delete,
  action_disable,
  action_edit,
  action_enable,
  delete_done,
  done,
  redemption_copy,
  redemption_delete_text,
  redemption_delete_title,
  redemption_edit_unused,
  redemption_hide,
  redemption_view,
} from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { EditLink } from '../../ui/table/EditLink.tsx';
import { MaskedText } from '../../ui/table/MaskedText.tsx';
import { maskedCode } from './model.ts';
import { useRedemptionRemoval, useRedemptionStatus } from './queries.ts';

/** The code, masked until it is asked for. */
export const CodeCell = ({ row: { key } }: { row: Redemption }) => (
  <MaskedText
    text={key}
    masked={maskedCode(key)}
    labels={{ view: redemption_view(), hide: redemption_hide(), copy: redemption_copy() }}
  />
);

function SwitchButton({ row }: { row: Redemption }) {
  const change = useRedemptionStatus();
  const unused = row.status === redemptionStatus.unused;
  const status = unused ? redemptionStatus.disabled : redemptionStatus.unused;
  return (
    <IconButton
      icon={unused ? PowerOff : Power}
      label={unused ? action_disable() : action_enable()}
      size="sm"
      disabled={row.status === redemptionStatus.used || change.isPending}
      onClick={() => change.mutate({ id: row.id, status }, { onError: notifyError, onSuccess: () => notify('ok', done()) })}
    />
  );
}

export function RowActions({ row }: { row: Redemption }) {
  const removal = useRedemptionRemoval();
  const unused = row.status === redemptionStatus.unused;
  const remove = async () => {
    const sure = await confirm({
      title: redemption_delete_title({ name: row.name }),
      text: redemption_delete_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (sure) removal.mutate(row.id, { onError: notifyError, onSuccess: () => notify('ok', delete_done()) });
  };
  return (
    <span className="inline-flex justify-end">
      <SwitchButton row={row} />
      {unused ? (
        <EditLink to="/redemption/edit/$id" id={row.id} />
      ) : (
        <IconButton
          icon={Pencil}
          label={action_edit()}
          data-tip={redemption_edit_unused()}
          aria-disabled
          className="opacity-45"
          size="sm"
          onClick={() => notify('warn', redemption_edit_unused())}
        />
      )}
      <IconButton icon={Trash2} label={action_delete()} size="sm" onClick={() => void remove()} />
    </span>
  );
}
