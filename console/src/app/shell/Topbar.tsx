import { Link } from '@tanstack/react-router';
import { Languages, Menu, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import logo from '../../assets/logo.svg';
import {
  language_switch,
  nav_about,
  nav_console,
  nav_home,
  nav_login,
  nav_manual,
  nav_open,
  nav_pricing,
  nav_register,
  theme_dark,
  theme_light,
  theme_switch,
  theme_system,
} from '../../i18n/generated/messages.ts';
import { getLanguage, setLanguage } from '../../i18n/language.ts';
import { setTheme, type ThemeMode, useTheme } from '../../lib/theme.ts';
import { buttonClass, IconButton } from '../../ui/Button.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { part } from '../../ui/part.tsx';

const Signals = part(
  () => import('./Signals.tsx'),
  'Signals',
  () => <SignalsPlace />,
  true,
);
const MobileNav = part(() => import('./MobileNav.tsx'), 'MobileNav');
const UserMenu = part(
  () => import('./UserMenu.tsx'),
  'UserMenu',
  ({ session }) => <UserPlace name={session.display_name || session.username} />,
  true,
);
const themeIcons = { light: Sun, dark: Moon, system: Monitor };
const themeLabels: Record<ThemeMode, () => string> = { light: theme_light, dark: theme_dark, system: theme_system };
const themeModes: ThemeMode[] = ['light', 'dark', 'system'];

function ThemeButton() {
  const theme = useTheme();
  const Icon = themeIcons[theme];
  const items = () =>
    themeModes.map((mode) => ({
      key: mode,
      label: themeLabels[mode](),
      icon: themeIcons[mode],
      checked: mode === theme,
      onSelect: () => setTheme(mode),
    }));
  return (
    <MenuButton label={theme_switch()} items={items}>
      <Icon size={16} aria-hidden />
    </MenuButton>
  );
}

function LanguageButton() {
  const items = () =>
    (
      [
        ['zh', '中文'],
        ['en', 'English'],
      ] as const
    ).map(([key, label]) => ({
      key,
      label,
      checked: key === getLanguage(),
      onSelect: () => setLanguage(key),
    }));
  return (
    <MenuButton label={language_switch()} items={items}>
      <Languages size={16} aria-hidden />
    </MenuButton>
  );
}

/** Takes the room of the balance and the bell that come. */
function SignalsPlace() {
  return (
    <>
      <span aria-hidden className="h-7 w-28 rounded-md bg-grey-tint max-sm:w-17" />
      <span aria-hidden className="size-8 max-sm:size-10 max-[389px]:w-9" />
    </>
  );
}

/** Takes the room of the palette's button and the menu that come. */
function UserPlace({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="ml-10 inline-flex h-8 max-w-40 items-center gap-1.5 px-2 max-sm:ml-11 max-sm:h-10 max-[389px]:ml-10"
    >
      <span className="size-[17px] shrink-0" />
      <span className="truncate max-sm:sr-only">{name}</span>
    </span>
  );
}

function Visitor() {
  const status = useStatus();
  return (
    <>
      <Link to="/login" className={buttonClass('quiet')}>
        {nav_login()}
      </Link>
      {status?.register_enabled !== false && (
        <Link to="/register" className={`${buttonClass('primary')} max-sm:hidden`}>
          {nav_register()}
        </Link>
      )}
    </>
  );
}

const wideClass =
  'rounded-md px-2.5 py-1.5 text-muted hover:text-fg aria-[current=page]:font-medium aria-[current=page]:text-fg max-md:hidden';

/** The line on top of every page. */
export function Topbar() {
  const session = useSession();
  const status = useStatus();
  const [open, setOpen] = useState(false);
  const usable = session && !session.must_change_password;
  // Who has to change the password can go nowhere else.
  const hasMenu = usable || !session;
  return (
    <header className="sticky top-0 z-20 flex h-12 items-center gap-1 border-b bg-surface px-3 max-sm:gap-0.5 max-sm:px-1 max-[389px]:[&_button.grid]:w-9 print:hidden">
      {hasMenu && <IconButton icon={Menu} label={nav_open()} className="shrink-0 md:hidden" onClick={() => setOpen(true)} />}
      <Link
        to="/"
        className={`mr-3 flex min-w-0 items-center overflow-hidden gap-2 font-semibold text-base text-fg max-sm:mr-1 ${usable ? 'max-[389px]:hidden max-sm:shrink-0' : ''}`}
      >
        <img src={status?.logo || logo} alt="" width={24} height={24} className="shrink-0 rounded-sm" />
        <span className={`truncate ${usable ? 'max-sm:sr-only' : ''}`}>{status?.system_name || 'Tollgate'}</span>
      </Link>
      <Link to="/" activeOptions={{ exact: true }} className={wideClass}>
        {nav_home()}
      </Link>
      <Link to="/token" className={wideClass}>
        {nav_console()}
      </Link>
      {status?.self_use_mode_enabled !== true && (
        <Link to="/pricing" className={wideClass}>
          {nav_pricing()}
        </Link>
      )}
      <Link to="/about" className={wideClass}>
        {nav_about()}
      </Link>
      {status?.docs_link.startsWith('http') && (
        <a href={status.docs_link} target="_blank" rel="noopener" className={wideClass}>
          {nav_manual()}
        </a>
      )}
      {/* A balance of any length leaves room for what can be pressed, which is narrower on the smallest phones. */}
      <div className="ml-auto flex min-w-0 items-center gap-1 max-sm:gap-0 *:not-first:shrink-0">
        {usable && <Signals />}
        <ThemeButton />
        <LanguageButton />
        {usable ? <UserMenu session={session} /> : <Visitor />}
      </div>
      {open && <MobileNav onClose={() => setOpen(false)} />}
    </header>
  );
}
