import { Dialog } from '@base-ui/react/dialog';
import { Link } from '@tanstack/react-router';
import { ExternalLink, Info, X } from 'lucide-react';
import { useStatus } from '../../api/status.ts';
import { action_close, nav_about, nav_main, nav_manual } from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { backdropClass } from '../../ui/overlay/Dialog.tsx';
import { linkClass, MenuList, MenuPart } from './Sidebar.tsx';

/** The side menu as a drawer. */
export function MobileNav({ onClose }: { onClose(): void }) {
  const docs = useStatus()?.docs_link;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-[min(280px,85vw)] flex-col bg-raised p-3 pb-[max(12px,env(safe-area-inset-bottom))] text-fg shadow-overlay outline-none transition-transform duration-150 data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
          <div className="mb-2 flex items-center justify-between">
            <Dialog.Title className="pl-2.5 text-lg">{nav_main()}</Dialog.Title>
            <IconButton icon={X} label={action_close()} onClick={onClose} />
          </div>
          <nav aria-label={nav_main()} className="flex min-h-0 grow flex-col">
            <MenuList onSelect={onClose} />
            <div className="mt-2 border-t pt-2">
              <MenuPart part="end" onSelect={onClose} />
              <ul>
                <li>
                  <Link to="/about" className={linkClass} onClick={onClose}>
                    <Info size={16} aria-hidden className="shrink-0" />
                    {nav_about()}
                  </Link>
                </li>
                {docs?.startsWith('http') && (
                  <li>
                    <a href={docs} target="_blank" rel="noopener" className={linkClass} onClick={onClose}>
                      <ExternalLink size={16} aria-hidden className="shrink-0" />
                      {/* The manual has this name, too. */}
                      <span className="truncate">
                        {nav_manual()} · {URL.parse(docs)?.host}
                      </span>
                    </a>
                  </li>
                )}
              </ul>
            </div>
          </nav>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
