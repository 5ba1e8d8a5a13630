import { action_close } from '../../i18n/generated/messages.ts';
import { Button } from '../Button.tsx';
import { OnceShown } from '../OnceShown.tsx';
import { Dialog } from './Dialog.tsx';

interface Props {
  title: string;
  label: string;
  value: string;
  copyLabel: string;
  note: string;
  onClose(): void;
}

/** A secret, only now. */
export function SecretDialog({ title, onClose, ...secret }: Props) {
  return (
    <Dialog title={title} onClose={onClose} stays footer={<Button onClick={onClose}>{action_close()}</Button>}>
      <OnceShown {...secret} />
    </Dialog>
  );
}
