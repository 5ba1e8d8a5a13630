import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Languages, Menu, Monitor, Moon, Sun } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { selfQuery } from '../../api/self.ts';
import { useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import logo from '../../assets/logo.svg';
import {
  balance_label,
  language_switch,
  login_title,
  nav_console,
  nav_home,
  nav_open,
  nav_pricing,
  register_title,
  theme_dark,
  theme_light,
  theme_switch,
  theme_system,
} from '../../i18n/generated/messages.ts';
import { getLanguage, setLanguage } from '../../i18n/language.ts';
import { setTheme, type ThemeMode, useTheme } from '../../lib/theme.ts';
import { buttonClass, IconButton } from '../../ui/Button.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { UserMenu } from './UserMenu.tsx';

const MobileNav = lazy(async () => ({ default: (await import('./MobileNav.tsx')).MobileNav }));
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

/** The signed-in user's balance. */
function BalanceChip() {
  const { data } = useQuery(selfQuery);
  return (
    <span className="inline-flex h-7 items-center gap-1.5 rounded-md bg-grey-tint px-2.5 max-sm:px-2">
      <span className="text-muted max-sm:sr-only">{balance_label()}</span>
      <span className="min-w-15 text-end font-medium">
        {data ? <Quota value={data.quota} /> : <span className="skeleton w-12" />}
      </span>
    </span>
  );
}

function Visitor() {
  const status = useStatus();
  return (
    <>
      <Link to="/login" className={`${buttonClass('quiet')} no-underline`}>
        {login_title()}
      </Link>
      {status?.register_enabled !== false && (
        <Link to="/register" className={`${buttonClass('primary')} no-underline max-sm:hidden`}>
          {register_title()}
        </Link>
      )}
    </>
  );
}

const navClass =
  'rounded-md px-2.5 py-1.5 text-muted no-underline hover:text-fg aria-[current=page]:font-medium aria-[current=page]:text-fg';

const wideClass = `${navClass} max-md:hidden`;

/** The line on top of every page. */
export function Topbar() {
  const session = useSession();
  const status = useStatus();
  const [open, setOpen] = useState(false);
  const usable = session && !session.must_change_password;
  return (
    <header className="sticky top-0 z-20 flex h-12 items-center gap-1 border-b bg-surface px-3 max-sm:px-2">
      {usable && <IconButton icon={Menu} label={nav_open()} className="md:hidden" onClick={() => setOpen(true)} />}
      <Link to="/" className="mr-3 flex min-w-0 items-center gap-2 font-semibold text-base text-fg no-underline max-sm:mr-0">
        <img src={status?.logo || logo} alt="" width={24} height={24} className="shrink-0 rounded-sm" />
        <span className={`truncate ${usable ? 'max-sm:sr-only' : ''}`}>{status?.system_name || 'Tollgate'}</span>
      </Link>
      <Link to="/" activeOptions={{ exact: true }} className={wideClass}>
        {nav_home()}
      </Link>
      <Link to="/token" className={wideClass}>
        {nav_console()}
      </Link>
      <Link to="/pricing" className={usable ? wideClass : navClass}>
        {nav_pricing()}
      </Link>
      <div className="ml-auto flex items-center gap-1">
        {usable && <BalanceChip />}
        <ThemeButton />
        <LanguageButton />
        {usable ? <UserMenu session={session} /> : <Visitor />}
      </div>
      {open && (
        <Suspense>
          <MobileNav onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </header>
  );
}
