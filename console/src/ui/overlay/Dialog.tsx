import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { createContext, type ReactNode, type RefObject, useContext, useEffect, useRef } from 'react';
import { action_cancel, action_close } from '../../i18n/generated/messages.ts';
import { Button, IconButton } from '../Button.tsx';
import { mayDiscard, useGuard } from '../form/useGuard.ts';

interface Props {
  title: string;
  description?: ReactNode;
  /** Absent: the dialog can only be answered, not left. */
  onClose?: () => void;
  /** Something is filled in: a press beside the dialog does not close it, and every other way out asks first, also off the page. */
  dirty?: boolean;
  /** What it shows cannot be shown again: a press beside it does not close it. */
  stays?: boolean;
  footer?: ReactNode;
  /** For code and tables. */
  wide?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  children?: ReactNode;
}

export const backdropClass =
  'fixed inset-0 z-40 bg-backdrop transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0';

const Leave = createContext<() => void>(() => undefined);

/** Leaves the dialog that it stands in, as Escape does. */
export function CancelButton() {
  return <Button onClick={useContext(Leave)}>{action_cancel()}</Button>;
}

/** At the end of a form that knows by itself whether it can be sent: as every footer is. */
export const FormFooter = ({ children }: { children: ReactNode }) => (
  <footer className="-mx-5 -mb-4 flex flex-wrap justify-end gap-2 border-t px-5 py-3">
    <CancelButton />
    {children}
  </footer>
);

/** The page is not left either, by a step back or at the end of a session. Apart, since most dialogs have nothing to lose. */
function PageGuard({ onDiscard }: { onDiscard: (() => void) | undefined }) {
  useGuard(true, onDiscard);
  return null;
}

const fieldOf = (popup: HTMLElement | null) =>
  popup?.querySelector<HTMLElement>('[data-autofocus]') ??
  popup?.querySelector<HTMLElement>(':is(input, select, textarea):not(:disabled)') ??
  null;

/**
 * Starts at the field marked `data-autofocus`, the first one or the last button, never at the cross; on touch screens at the dialog, so that no keyboard jumps
 * up. A form that is still read has no field yet: the focus goes on to it when it comes, unless it was moved by then.
 */
function useStart() {
  const popup = useRef<HTMLDivElement>(null);
  const awaited = useRef(false);
  useEffect(() => {
    const field = awaited.current ? fieldOf(popup.current) : null;
    if (!field) return;
    awaited.current = false;
    const { activeElement } = document;
    if (activeElement === popup.current || !popup.current?.contains(activeElement)) field.focus();
  });
  const start = (opened: string): HTMLElement | null => {
    if (opened === 'touch') return popup.current;
    const field = fieldOf(popup.current);
    awaited.current = !field;
    return field ?? popup.current?.querySelector<HTMLElement>('footer > button:last-child:not(:disabled)') ?? popup.current;
  };
  return { popup, start };
}

/** A modal question or short form in the middle of the screen. */
export function Dialog({ title, description, onClose, dirty = false, stays, footer, wide, initialFocus, children }: Props) {
  const { popup, start } = useStart();
  const leave = async () => {
    if (!dirty || (await mayDiscard())) onClose?.();
  };
  return (
    <Base.Root open onOpenChange={(open) => !open && void leave()} disablePointerDismissal={!onClose || dirty || stays}>
      <Base.Portal>
        <Base.Backdrop className={backdropClass} />
        <Base.Popup
          ref={popup}
          initialFocus={initialFocus ?? start}
          className={`${wide ? 'w-[min(640px,calc(100vw-32px))]' : 'w-[min(440px,calc(100vw-32px))]'} fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] -translate-1/2 flex-col rounded-lg bg-raised text-fg shadow-overlay outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0`}
        >
          {dirty && <PageGuard onDiscard={onClose} />}
          <Leave value={leave}>
            <header className="flex items-start gap-2 pt-4 pr-3 pl-5">
              <Base.Title className="grow pt-1 text-lg max-sm:pt-2">{title}</Base.Title>
              {onClose && <IconButton icon={X} label={action_close()} onClick={leave} />}
            </header>
            <div className="overflow-y-auto px-5 pt-1 pb-4">
              {description && <Base.Description className="mb-3 text-muted">{description}</Base.Description>}
              {children}
            </div>
            {footer && <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>}
          </Leave>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
