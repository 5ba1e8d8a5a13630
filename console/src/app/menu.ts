import { type Role, role, type Status } from '@tollgate/contract';
import {
  Activity,
  BookOpen,
  ChartNoAxesCombined,
  Coins,
  HandCoins,
  Handshake,
  House,
  Image,
  Import,
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
  nav_part_account,
  nav_part_manage,
  nav_part_system,
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

/** Where an entry stands in the menu: `end` stays in sight at its foot. */
export type MenuPart = 'use' | 'manage' | 'account' | 'system' | 'end';

/** The headings of the parts that have one. */
export const partTitles: Readonly<Partial<Record<MenuPart, () => string>>> = {
  manage: nav_part_manage,
  account: nav_part_account,
  system: nav_part_system,
};

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
  part: MenuPart;
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
  { to: '/', label: nav_home, icon: House, part: 'use', role: role.guest },
  { to: '/playground', label: nav_playground, icon: MessagesSquare, part: 'use', role: role.common },
  {
    ...{ to: '/detail', label: nav_dashboard, icon: ChartNoAxesCombined, part: 'use', role: role.common },
    when: (status) => status?.enable_data_export ?? false,
  },
  { to: '/token', label: nav_tokens, icon: KeyRound, part: 'use', role: role.common },
  { to: '/log', label: nav_logs, icon: ScrollText, part: 'use', role: role.common },
  {
    ...{ to: '/midjourney', label: nav_drawing, icon: Image, part: 'use', role: role.common },
    when: (status) => status?.enable_drawing ?? false,
  },
  {
    ...{ to: '/task', label: nav_task, icon: ListTodo, part: 'use', role: role.common },
    when: (status) => status?.enable_task ?? false,
  },
  { to: '/pricing', label: nav_pricing, icon: Tags, part: 'use', role: role.guest, when: sells },
  { to: '/channel', label: nav_channels, icon: Network, part: 'manage', role: role.admin },
  { to: '/route', label: nav_route, icon: Waypoints, part: 'manage', role: role.admin },
  { to: '/user', label: nav_users, icon: Users, part: 'manage', role: role.admin },
  { to: '/redemption', label: nav_redemption, icon: Ticket, part: 'manage', role: role.admin, when: sells },
  { to: '/payment', label: nav_payment, icon: HandCoins, part: 'manage', role: role.admin, when: sells },
  {
    ...{ to: '/agent/manage', label: nav_agent_manage, icon: Handshake, part: 'manage', role: role.admin },
    when: (status) => status?.agent_enabled ?? false,
  },
  { to: '/topup', label: nav_wallet, icon: Wallet, part: 'account', role: role.common, when: sells },
  { to: '/agent', label: nav_agent, icon: Handshake, part: 'account', role: role.common, agents: true },
  { to: '/agent/dividends', label: nav_agent_dividends, icon: Coins, part: 'account', role: role.common, agents: true },
  { to: '/agent/withdrawals', label: nav_agent_withdrawals, icon: HandCoins, part: 'account', role: role.common, agents: true },
  { to: '/announcement', label: nav_announcement, icon: Megaphone, part: 'account', role: role.common },
  { to: '/audit', label: nav_audit, icon: ShieldCheck, part: 'system', role: role.root },
  { to: '/ledger', label: nav_ledger, icon: Scale, part: 'system', role: role.root },
  { to: '/doctor', label: nav_doctor, icon: Activity, part: 'system', role: role.root },
  { to: '/import', label: nav_import, icon: Import, part: 'system', role: role.root },
  { to: '/docs/$', label: nav_manual, icon: BookOpen, part: 'end', role: role.guest },
  { to: '/setting', label: nav_setting, icon: Settings, part: 'end', role: role.common },
];

/** What one user sees of the menu. `agents`: the pages of agents concern them. */
export const menuFor = (userRole: number, status: Status | undefined, agents = false): MenuEntry[] =>
  menu.filter((entry) => userRole >= entry.role && (entry.when?.(status) ?? true) && (agents || !entry.agents));
