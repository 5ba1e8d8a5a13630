import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { action_close } from '../../i18n/generated/messages.ts';
import { IconButton } from '../Button.tsx';
import { backdropClass } from './Dialog.tsx';

interface Props {
  title: string;
  onClose(): void;
  /** Stays visible below the scrolling part: the buttons. */
  footer?: ReactNode;
  /** Beside the title, above the scrolling part. */
  toolbar?: ReactNode;
  width?: 'normal' | 'wide';
  children: ReactNode;
}

const widths = { normal: 'w-[min(520px,100%)]', wide: 'w-[min(680px,100%)]' };

/** Starts at the field marked `data-autofocus`; on touch screens at the panel, so that no keyboard jumps up. */
function firstField(panel: HTMLElement | null, opened: string): HTMLElement | null {
  return (opened === 'touch' ? null : panel?.querySelector<HTMLElement>('[data-autofocus]')) ?? panel;
}

/** A panel over the right edge of the page; the whole screen on phones. */
export function Drawer({ title, onClose, footer, toolbar, width = 'normal', children }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={backdropClass} />
        <Base.Popup
          ref={panel}
          initialFocus={(opened) => firstField(panel.current, opened)}
          className={`${widths[width]} fixed inset-y-0 right-0 z-40 flex flex-col bg-raised text-fg shadow-overlay outline-none transition-transform duration-150 data-ending-style:translate-x-full data-starting-style:translate-x-full max-sm:w-full`}
        >
          <header className="flex h-12 shrink-0 items-center gap-2 border-b pr-3 pl-5 max-sm:pl-4">
            <Base.Title className="grow truncate text-lg">{title}</Base.Title>
            {toolbar}
            <IconButton icon={X} label={action_close()} onClick={onClose} />
          </header>
          <div className="grow overflow-y-auto overscroll-contain px-5 py-4 max-sm:px-4">{children}</div>
          {footer && (
            <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t px-5 py-3 max-sm:px-4">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
