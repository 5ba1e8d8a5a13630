import { type ReactNode, type SubmitEventHandler, useId } from 'react';
import { textOf } from '../../api/errors.ts';
import { action_cancel } from '../../i18n/generated/messages.ts';
import { Alert } from '../Alert.tsx';
import { Button } from '../Button.tsx';
import { Drawer } from '../overlay/Drawer.tsx';
import { FormSkeleton } from './FormSkeleton.tsx';
import { keepEnter } from './keepEnter.ts';
import { SaveFault } from './SaveFault.tsx';

interface Frame {
  title: string;
  width?: 'normal' | 'wide';
  onClose(): void;
}

interface Props extends Frame {
  /** What the button that sends the form says. */
  submitLabel: string;
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  /** What was sent is under way; what the last attempt was refused with. */
  saving: { pending: boolean; error: Error | null };
  /** Further buttons, before the last. */
  actions?: ReactNode;
  /** Above the fields. */
  note?: ReactNode;
  children: ReactNode;
}

/** One row in a form over its list: what was refused above the fields, the buttons always in sight. */
export function EditorDrawer({ submitLabel, onSubmit, saving, actions, note, children, ...frame }: Props) {
  const id = useId();
  const { pending, error } = saving;
  return (
    <Drawer
      {...frame}
      footer={
        <>
          <Button onClick={frame.onClose}>{action_cancel()}</Button>
          {actions}
          <Button type="submit" form={id} tone="primary" pending={pending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={onSubmit} onKeyDown={keepEnter}>
        {(error || note) && (
          <div className="mb-4 flex flex-col gap-2">
            <SaveFault error={error} />
            {note}
          </div>
        )}
        {children}
      </form>
    </Drawer>
  );
}

/** The same before its row is here: a skeleton, why it cannot be read, or why it is not edited. */
export function EditorPlaceholder({ error, children, ...frame }: Frame & { error: Error | null; children?: ReactNode }) {
  return <Drawer {...frame}>{error ? <Alert tone="bad">{textOf(error)}</Alert> : children || <FormSkeleton />}</Drawer>;
}
