import { type Role, role, type Status } from '@tollgate/contract';
import {
  House,
  KeyRound,
  type LucideIcon,
  Network,
  Scale,
  ScrollText,
  Settings,
  ShieldCheck,
  Tags,
  Ticket,
  Users,
  Wallet,
  Waypoints,
} from 'lucide-react';
import {
  nav_audit,
  nav_channels,
  nav_home,
  nav_ledger,
  nav_logs,
  nav_pricing,
  nav_redemption,
  nav_route,
  nav_setting,
  nav_tokens,
  nav_users,
  nav_wallet,
} from '../i18n/generated/messages.ts';

export interface MenuEntry {
  to:
    | '/'
    | '/channel'
    | '/user'
    | '/audit'
    | '/ledger'
    | '/route'
    | '/token'
    | '/redemption'
    | '/topup'
    | '/log'
    | '/pricing'
    | '/setting';
  label: () => string;
  icon: LucideIcon;
  /** The least role that sees it. */
  role: Role;
  /** A switch of the status object that must be on. */
  when?: (status: Status | undefined) => boolean;
}

/** The side menu: every page that exists, in its order. */
const menu: readonly MenuEntry[] = [
  { to: '/', label: nav_home, icon: House, role: role.guest },
  { to: '/channel', label: nav_channels, icon: Network, role: role.admin },
  { to: '/route', label: nav_route, icon: Waypoints, role: role.admin },
  { to: '/token', label: nav_tokens, icon: KeyRound, role: role.common },
  { to: '/topup', label: nav_wallet, icon: Wallet, role: role.common },
  { to: '/redemption', label: nav_redemption, icon: Ticket, role: role.admin },
  { to: '/user', label: nav_users, icon: Users, role: role.admin },
  { to: '/pricing', label: nav_pricing, icon: Tags, role: role.guest },
  { to: '/log', label: nav_logs, icon: ScrollText, role: role.common },
  { to: '/audit', label: nav_audit, icon: ShieldCheck, role: role.root },
  { to: '/ledger', label: nav_ledger, icon: Scale, role: role.root },
  { to: '/setting', label: nav_setting, icon: Settings, role: role.common },
];

/** What one user sees of the menu. */
export const menuFor = (userRole: number, status: Status | undefined): MenuEntry[] =>
  menu.filter((entry) => userRole >= entry.role && (entry.when?.(status) ?? true));
