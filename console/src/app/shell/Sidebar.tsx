import { Link } from '@tanstack/react-router';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import { nav_collapse, nav_expand, nav_main } from '../../i18n/generated/messages.ts';
import { readText, writeText } from '../../lib/storage.ts';
import { type MenuEntry, menuFor } from '../menu.ts';

const linkClass =
  'flex h-8 items-center gap-2.5 rounded-md px-2.5 text-muted no-underline hover:bg-grey-tint hover:text-fg aria-[current=page]:bg-accent-tint aria-[current=page]:font-medium aria-[current=page]:text-accent max-md:h-11 max-md:text-base';

function Entry({ entry, narrow, onSelect }: { entry: MenuEntry; narrow: boolean; onSelect?: () => void }) {
  const Icon = entry.icon;
  return (
    <li>
      <Link
        to={entry.to}
        activeOptions={{ exact: entry.to === '/', includeSearch: false }}
        className={linkClass}
        data-tip={narrow ? entry.label() : undefined}
        onClick={onSelect}
      >
        <Icon size={16} aria-hidden className="shrink-0" />
        <span className={narrow ? 'sr-only' : 'truncate'}>{entry.label()}</span>
      </Link>
    </li>
  );
}

/** The entries of the side menu; also the content of the drawer on phones. */
export function MenuList({ narrow = false, onSelect }: { narrow?: boolean; onSelect?: () => void }) {
  const session = useSession();
  const status = useStatus();
  return (
    <ul className="flex flex-col gap-0.5">
      {menuFor(session?.role ?? 0, status).map((entry) => (
        <Entry key={entry.to} entry={entry} narrow={narrow} onSelect={onSelect} />
      ))}
    </ul>
  );
}

const storageKey = 'sidebar';

/** The side menu of wide screens. Starts as the operator wishes, then as the user left it. */
export function Sidebar() {
  const status = useStatus();
  const [choice, setChoice] = useState(() => readText(storageKey));
  const narrow = choice === '' ? status?.default_collapse_sidebar === true : choice === 'narrow';
  const Icon = narrow ? PanelLeftOpen : PanelLeftClose;
  const label = narrow ? nav_expand() : nav_collapse();
  return (
    <nav
      aria-label={nav_main()}
      className={`sticky top-12 flex h-[calc(100dvh-48px)] shrink-0 flex-col border-r bg-surface p-2 max-md:hidden ${narrow ? 'w-[53px]' : 'w-[188px]'}`}
    >
      <div className="grow overflow-y-auto">
        <MenuList narrow={narrow} />
      </div>
      <button
        type="button"
        aria-label={label}
        data-tip={label}
        className="grid size-8 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg"
        onClick={() => {
          const next = narrow ? 'wide' : 'narrow';
          writeText(storageKey, next);
          setChoice(next);
        }}
      >
        <Icon size={16} aria-hidden />
      </button>
    </nav>
  );
}
