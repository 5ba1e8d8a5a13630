import { Link } from '@tanstack/react-router';
import { MessageSquare, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { useAgentPages } from '../../api/agent.ts';
import { useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import { chat_unreadable, nav_collapse, nav_expand, nav_main } from '../../i18n/generated/messages.ts';
import { readChats } from '../../lib/chats.ts';
import { readText, writeText } from '../../lib/storage.ts';
import { type MenuEntry, menuFor } from '../menu.ts';

export const linkClass =
  'flex h-8 items-center gap-2.5 rounded-md px-2.5 text-muted no-underline hover:bg-grey-tint hover:text-fg aria-[current=page]:bg-accent-tint aria-[current=page]:font-medium aria-[current=page]:text-accent max-md:h-11 max-md:text-base';

function Entry({ entry, narrow, onSelect }: { entry: MenuEntry; narrow: boolean; onSelect?: () => void }) {
  const Icon = entry.icon;
  return (
    <li>
      <Link
        to={entry.to}
        activeOptions={{ exact: entry.to === '/' || entry.to === '/agent', includeSearch: false }}
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

/** The operator's chat clients. */
function Chats({ narrow, onSelect }: { narrow: boolean; onSelect?: () => void }) {
  const status = useStatus();
  const links = readChats(status?.chats);
  if (status !== undefined && links === undefined) {
    return <li className={narrow ? 'sr-only' : 'px-2.5 py-1.5 text-muted text-xs'}>{chat_unreadable()}</li>;
  }
  return links?.map(({ label, template }, index) => (
    <li key={`${label} ${template}`}>
      <Link
        to="/chat/$id"
        params={{ id: String(index) }}
        className={linkClass}
        data-tip={narrow ? label : undefined}
        onClick={onSelect}
      >
        <MessageSquare size={16} aria-hidden className="shrink-0" />
        <span className={narrow ? 'sr-only' : 'truncate'}>{label}</span>
      </Link>
    </li>
  ));
}

interface ListProps {
  narrow?: boolean;
  onSelect?: () => void;
  /** At the end of the list. */
  children?: ReactNode;
}

/** The entries of the side menu; also the content of the drawer on phones. */
export function MenuList({ narrow = false, onSelect, children }: ListProps) {
  const session = useSession();
  const status = useStatus();
  const agents = useAgentPages(session !== undefined);
  return (
    <ul className="flex flex-col gap-0.5">
      {menuFor(session?.role ?? 0, status, agents).map((entry) => (
        <Fragment key={entry.to}>
          <Entry entry={entry} narrow={narrow} onSelect={onSelect} />
          {entry.to === '/token' && <Chats narrow={narrow} onSelect={onSelect} />}
        </Fragment>
      ))}
      {children}
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
        // A banner pushes the menu down: what stands at its end stays in the window.
        className="sticky bottom-2 grid size-8 place-items-center rounded-md bg-surface text-muted hover:bg-grey-tint hover:text-fg"
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
