import { type ReactNode, type SubmitEvent, useId } from 'react';
import { price_apply } from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';

interface Props {
  title: string;
  wide?: boolean;
  dirty: boolean;
  onClose(): void;
  onSubmit(event: SubmitEvent<HTMLFormElement>): void;
  /** How the fields stand; default: one below the other. */
  layout?: string;
  children: ReactNode;
}

/** One entry in a form of its own. Applying changes the draft; nothing is saved yet. */
export function ApplyDialog({ title, wide, dirty, onClose, onSubmit, layout = 'flex flex-col gap-3.5', children }: Props) {
  const id = useId();
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      dirty={dirty}
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={id} tone="primary">
            {price_apply()}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={onSubmit} className={layout}>
        {children}
      </form>
    </Dialog>
  );
}
