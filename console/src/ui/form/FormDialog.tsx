import { type ReactNode, type SubmitEventHandler, useId } from 'react';
import { Button } from '../Button.tsx';
import { CancelButton, Dialog } from '../overlay/Dialog.tsx';
import { SaveFault } from './SaveFault.tsx';

interface Props {
  title: string;
  description?: ReactNode;
  wide?: boolean;
  /** As the dialog knows them. */
  dirty?: boolean;
  stays?: boolean;
  onClose(): void;
  /** What the button that sends the form says, and whether it is one that destroys. */
  submitLabel: string;
  tone?: 'primary' | 'bad';
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  /** What was sent is under way; what the last attempt was refused with. */
  pending?: boolean;
  error?: Error | null;
  /** How the fields stand; default: one below the other. */
  layout?: string;
  children: ReactNode;
}

/** A short form in the middle of the screen: what was refused above the fields, the buttons below them. */
export function FormDialog({
  submitLabel,
  tone = 'primary',
  onSubmit,
  pending,
  error = null,
  layout = 'flex flex-col gap-3.5',
  children,
  ...frame
}: Props) {
  const id = useId();
  return (
    <Dialog
      {...frame}
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={id} tone={tone} pending={pending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={onSubmit} className={layout}>
        <SaveFault error={error} />
        {children}
      </form>
    </Dialog>
  );
}
