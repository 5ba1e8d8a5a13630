import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, KeyRound, LogOut, ScrollText, Settings } from 'lucide-react';
import { textOf } from '../../api/errors.ts';
import { forgetUserData } from '../../api/forget.ts';
import { type Session, signOutGuards } from '../../api/session.ts';
import { signOut } from '../../api/sign-out.ts';
import {
  nav_logs,
  nav_setting,
  nav_tokens,
  user_logout,
  user_logout_done,
  user_logout_failed,
  user_menu,
} from '../../i18n/generated/messages.ts';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { notify } from '../../ui/notify.ts';
import { PaletteButton } from '../palette/PaletteButton.tsx';

function useLogout(): () => Promise<void> {
  const navigate = useNavigate();
  const client = useQueryClient();
  return async () => {
    for (const mayEnd of signOutGuards) if (!(await mayEnd())) return;
    const failure = await signOut().catch(textOf);
    if (failure !== undefined) return notify('bad', user_logout_failed({ reason: failure }));
    await navigate({ to: '/login', search: {}, ignoreBlocker: true });
    forgetUserData(client);
    notify('ok', user_logout_done());
  };
}

export function UserMenu({ session }: { session: Session }) {
  const navigate = useNavigate();
  const logout = useLogout();
  const items = () => [
    { key: 'tokens', label: nav_tokens(), icon: KeyRound, onSelect: () => void navigate({ to: '/token' }) },
    { key: 'logs', label: nav_logs(), icon: ScrollText, onSelect: () => void navigate({ to: '/log' }) },
    {
      key: 'setting',
      label: nav_setting(),
      icon: Settings,
      onSelect: () => void navigate({ to: '/setting', search: { tab: 'personal' } }),
    },
    { key: 'logout', label: user_logout(), icon: LogOut, separated: true, onSelect: () => void logout() },
  ];
  return (
    <>
      <PaletteButton />
      <MenuButton
        label={user_menu({ name: session.display_name || session.username })}
        items={items}
        plain
        className="ml-1 inline-flex h-8 max-w-40 items-center gap-1.5 rounded-md px-2 hover:bg-grey-tint max-sm:h-10"
      >
        <CircleUserRound size={17} aria-hidden className="shrink-0 text-muted" />
        <span className="truncate max-sm:sr-only">{session.display_name || session.username}</span>
      </MenuButton>
    </>
  );
}
