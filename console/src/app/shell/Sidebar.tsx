import { Link } from '@tanstack/react-router';
import { type LucideIcon, MessageSquare, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAgentPages } from '../../api/agent.ts';
import { useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import { nav_chat, nav_chat_unreadable, nav_collapse, nav_expand, nav_main } from '../../i18n/generated/messages.ts';
import { readChats } from '../../lib/chats.ts';
import { readText, writeText } from '../../lib/storage.ts';
import { menuFor, type MenuPart as Part, partTitles } from '../menu.ts';

export const linkClass =
  'flex h-[30px] items-center gap-2 rounded-md pr-1 pl-2.5 text-muted hover:bg-grey-tint hover:text-fg aria-[current=page]:bg-accent-tint aria-[current=page]:font-medium aria-[current=page]:text-accent max-md:h-11 max-md:text-base';

interface ListProps {
  narrow?: boolean;
  onSelect?: () => void;
}

interface EntryProps extends ListProps {
  to: string;
  exact?: boolean;
  label: string;
  icon: LucideIcon;
}

function Entry({ to, exact = false, label, icon: Icon, narrow, onSelect }: EntryProps) {
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact, includeSearch: false }}
        className={linkClass}
        data-tip={narrow ? label : undefined}
        onClick={onSelect}
      >
        <Icon size={16} aria-hidden className="shrink-0" />
        <span className={narrow ? 'sr-only' : 'truncate'}>{label}</span>
      </Link>
    </li>
  );
}

/** Entries under their heading, if they have one; a rule stands for it where there is no room. */
function Titled({ title, narrow, children }: { title?: string; narrow?: boolean; children: ReactNode }) {
  return (
    <>
      {title && (
        <p aria-hidden className={narrow ? 'mx-1.5 my-2 border-t' : 'px-2.5 pt-3 pb-1 font-medium text-muted text-xs'}>
          {!narrow && title}
        </p>
      )}
      <ul aria-label={title}>{children}</ul>
    </>
  );
}

/** One part of the menu, for this person. */
export function MenuPart({ part, ...rest }: ListProps & { part: Part }) {
  const session = useSession();
  const status = useStatus();
  const agents = useAgentPages(session !== undefined);
  const entries = menuFor(session?.role ?? 0, status, agents).filter((entry) => entry.part === part);
  if (entries.length === 0) return null;
  return (
    <Titled title={partTitles[part]?.()} narrow={rest.narrow}>
      {entries.map(({ to, label, icon }) => (
        <Entry key={to} to={to} exact={to === '/' || to === '/agent'} label={label()} icon={icon} {...rest} />
      ))}
    </Titled>
  );
}

/** The operator's chat clients. */
function Chats(rest: ListProps) {
  const status = useStatus();
  const links = readChats(status?.chats);
  if (status === undefined || links?.length === 0) return null;
  return (
    <Titled title={nav_chat()} narrow={rest.narrow}>
      {links?.map(({ label, template }, index) => (
        <Entry key={`${label} ${template}`} to={`/chat/${index}`} label={label} icon={MessageSquare} {...rest} />
      )) ?? <li className={rest.narrow ? 'sr-only' : 'px-2.5 py-1.5 text-muted text-xs'}>{nav_chat_unreadable()}</li>}
    </Titled>
  );
}

/** The parts of the side menu that scroll; also in the drawer on phones. */
export function MenuList(props: ListProps) {
  const session = useSession();
  return (
    <div className="-mr-2 min-h-0 grow overflow-y-auto pr-2 [scrollbar-width:thin]">
      {(['use', 'manage', 'account', 'system'] as const).map((part) => (
        <MenuPart key={part} part={part} {...props} />
      ))}
      {session && <Chats {...props} />}
    </div>
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
      className={`sticky top-12 flex h-[calc(100dvh-48px)] shrink-0 flex-col border-r bg-surface p-2 max-md:hidden print:hidden ${narrow ? 'w-[53px]' : 'w-[188px]'}`}
    >
      <MenuList narrow={narrow} />
      {/* A banner pushes the menu down: what stands at its end stays in the window. */}
      <div className="sticky bottom-0 -mx-2 -mb-2 border-t bg-surface p-2">
        <MenuPart part="end" narrow={narrow} />
        <button
          type="button"
          aria-label={label}
          data-tip={label}
          className="mt-0.5 grid size-8 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg"
          onClick={() => {
            const next = narrow ? 'wide' : 'narrow';
            writeText(storageKey, next);
            setChoice(next);
          }}
        >
          <Icon size={16} aria-hidden />
        </button>
      </div>
    </nav>
  );
}
