import { type Role, role, type Status } from '@tollgate/contract';
import {
  Banknote,
  BookOpen,
  ChartNoAxesCombined,
  Coins,
  Contact,
  DatabaseZap,
  HandCoins,
  Handshake,
  House,
  Image,
  KeyRound,
  ListTodo,
  type LucideIcon,
  Megaphone,
  MessagesSquare,
  Network,
  Scale,
  ScrollText,
  Settings,
  ShieldCheck,
  Stethoscope,
  Tags,
  Ticket,
  Users,
  Wallet,
  Waypoints,
} from 'lucide-react';
import {
  nav_agent,
  nav_agent_dividends,
  nav_agent_manage,
  nav_agent_withdrawals,
  nav_announcement,
  nav_audit,
  nav_channels,
  nav_dashboard,
  nav_doctor,
  nav_drawing,
  nav_home,
  nav_import,
  nav_ledger,
  nav_logs,
  nav_manual,
  nav_payment,
  nav_playground,
  nav_pricing,
  nav_redemption,
  nav_route,
  nav_setting,
  nav_task,
  nav_tokens,
  nav_users,
  nav_wallet,
} from '../i18n/generated/messages.ts';

export interface MenuEntry {
  to:
    | '/'
    | '/detail'
    | '/playground'
    | '/channel'
    | '/user'
    | '/audit'
    | '/ledger'
    | '/doctor'
    | '/import'
    | '/route'
    | '/token'
    | '/redemption'
    | '/payment'
    | '/topup'
    | '/agent'
    | '/agent/dividends'
    | '/agent/withdrawals'
    | '/agent/manage'
    | '/log'
    | '/announcement'
    | '/midjourney'
    | '/task'
    | '/pricing'
    | '/docs/$'
    | '/setting';
  label: () => string;
  icon: LucideIcon;
  /** The least role that sees it. */
  role: Role;
  /** A switch of the status object that must be on. */
  when?: (status: Status | undefined) => boolean;
  /** For agents, and who may become one. */
  agents?: true;
}

/** A gateway that is for its owner alone sells nothing. */
const sells = (status: Status | undefined): boolean => status?.self_use_mode_enabled !== true;

/** The side menu: every page that exists, in its order. */
const menu: readonly MenuEntry[] = [
  { to: '/', label: nav_home, icon: House, role: role.guest },
  { to: '/playground', label: nav_playground, icon: MessagesSquare, role: role.common },
  {
    to: '/detail',
    label: nav_dashboard,
    icon: ChartNoAxesCombined,
    role: role.common,
    when: (status) => status?.enable_data_export ?? false,
  },
  { to: '/channel', label: nav_channels, icon: Network, role: role.admin },
  { to: '/route', label: nav_route, icon: Waypoints, role: role.admin },
  { to: '/token', label: nav_tokens, icon: KeyRound, role: role.common },
  { to: '/topup', label: nav_wallet, icon: Wallet, role: role.common, when: sells },
  { to: '/agent', label: nav_agent, icon: Handshake, role: role.common, agents: true },
  { to: '/agent/dividends', label: nav_agent_dividends, icon: Coins, role: role.common, agents: true },
  { to: '/agent/withdrawals', label: nav_agent_withdrawals, icon: Banknote, role: role.common, agents: true },
  { to: '/redemption', label: nav_redemption, icon: Ticket, role: role.admin, when: sells },
  { to: '/payment', label: nav_payment, icon: HandCoins, role: role.admin, when: sells },
  {
    to: '/agent/manage',
    label: nav_agent_manage,
    icon: Contact,
    role: role.admin,
    when: (status) => status?.agent_enabled ?? false,
  },
  { to: '/user', label: nav_users, icon: Users, role: role.admin },
  { to: '/pricing', label: nav_pricing, icon: Tags, role: role.guest, when: sells },
  { to: '/log', label: nav_logs, icon: ScrollText, role: role.common },
  { to: '/midjourney', label: nav_drawing, icon: Image, role: role.common, when: (status) => status?.enable_drawing ?? false },
  { to: '/task', label: nav_task, icon: ListTodo, role: role.common, when: (status) => status?.enable_task ?? false },
  { to: '/announcement', label: nav_announcement, icon: Megaphone, role: role.common },
  { to: '/audit', label: nav_audit, icon: ShieldCheck, role: role.root },
  { to: '/ledger', label: nav_ledger, icon: Scale, role: role.root },
  { to: '/doctor', label: nav_doctor, icon: Stethoscope, role: role.root },
  { to: '/import', label: nav_import, icon: DatabaseZap, role: role.root },
  { to: '/docs/$', label: nav_manual, icon: BookOpen, role: role.guest },
  { to: '/setting', label: nav_setting, icon: Settings, role: role.common },
];

/** What one user sees of the menu. `agents`: the pages of agents concern them. */
export const menuFor = (userRole: number, status: Status | undefined, agents = false): MenuEntry[] =>
  menu.filter((entry) => userRole >= entry.role && (entry.when?.(status) ?? true) && (agents || !entry.agents));
