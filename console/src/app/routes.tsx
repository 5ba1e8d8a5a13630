import { createRootRoute, createRoute, notFound, redirect } from '@tanstack/react-router';
import { isProvider } from '../api/doors.ts';
import { getSession } from '../api/session.ts';
import { readAgentSearch, readManageSearch, readRecordSearch } from '../features/agents/search.ts';
import { readAuditSearch } from '../features/audit/search.ts';
import { rememberAff } from '../features/auth/invite-code.ts';
import { readCallbackSearch, readLoginSearch, readRegisterSearch, readResetSearch } from '../features/auth/search.ts';
import { readChannelSearch } from '../features/channels/search.ts';
import { readDashboardSearch } from '../features/dashboard/search.ts';
import { readLogSearch } from '../features/logs/search.ts';
import { readPaymentSearch } from '../features/payments/search.ts';
import { readPricingSearch } from '../features/pricing/search.ts';
import { readRedemptionSearch } from '../features/redemptions/search.ts';
import { readRouteSearch } from '../features/route/search.ts';
import { readTaskSearch } from '../features/tasks/search.ts';
import { readTokenSearch } from '../features/tokens/search.ts';
import { readUserSearch } from '../features/users/search.ts';
import { readInviteSearch, readStatementSearch } from '../features/wallet/search.ts';
import { readListSearch } from '../lib/list-search.ts';
import { readTaskListSearch } from '../ui/task/search.ts';
import { AdminOnly, page, passSignedIn, RootOnly, translated } from './route-pages.tsx';
import { readSettingSearch } from './setting/search.ts';
import { NotFound } from './shell/faults.tsx';
import { PublicLayout, Shell } from './shell/Shell.tsx';

/** The path of one row: what is no id of any row is no page. */
const ofRow = {
  beforeLoad({ params }: { params: { id: string } }) {
    if (!/^[1-9]\d{0,14}$/.test(params.id)) throw notFound();
  },
};

const root = createRootRoute({ component: translated(Shell), notFoundComponent: translated(NotFound) });
const visitors = createRoute({ getParentRoute: () => root, id: '_public', component: translated(PublicLayout) });
const console = createRoute({
  getParentRoute: () => root,
  id: '_console',
  beforeLoad({ location }) {
    const session = getSession();
    if (!session || session.must_change_password)
      throw redirect({ to: '/login', search: { redirect: location.href }, replace: true });
  },
  component: page(() => import('./shell/ConsoleLayout.tsx'), 'ConsoleLayout'),
});

const home = createRoute({
  getParentRoute: () => visitors,
  path: '/',
  component: page(() => import('../features/home/HomePage.tsx'), 'HomePage'),
});
const login = createRoute({
  getParentRoute: () => visitors,
  path: '/login',
  validateSearch: readLoginSearch,
  beforeLoad: ({ search }) => passSignedIn(search.redirect),
  component: page(() => import('../features/auth/LoginPage.tsx'), 'LoginPage'),
});
const register = createRoute({
  getParentRoute: () => visitors,
  path: '/register',
  validateSearch: readRegisterSearch,
  // A code that is mailed to a session binds an address and registers nobody.
  beforeLoad({ search }) {
    // Perhaps that session has ended, and whoever follows the link is about to register.
    rememberAff(search.aff);
    passSignedIn();
  },
  component: page(() => import('../features/auth/RegisterPage.tsx'), 'RegisterPage'),
});
const reset = createRoute({
  getParentRoute: () => visitors,
  path: '/reset',
  component: page(() => import('../features/auth/ResetPage.tsx'), 'ResetPage'),
});
const resetConfirm = createRoute({
  getParentRoute: () => visitors,
  path: '/user/reset',
  validateSearch: readResetSearch,
  component: page(() => import('../features/auth/ResetConfirmPage.tsx'), 'ResetConfirmPage'),
});
const oauth = createRoute({
  getParentRoute: () => visitors,
  path: '/oauth/$provider',
  validateSearch: readCallbackSearch,
  beforeLoad({ params }) {
    if (!isProvider(params.provider)) throw notFound();
  },
  component: page(() => import('../features/auth/OAuthPage.tsx'), 'OAuthPage'),
});

const about = createRoute({
  getParentRoute: () => visitors,
  path: '/about',
  component: page(() => import('../features/home/AboutPage.tsx'), 'AboutPage'),
});

const pricing = createRoute({
  getParentRoute: () => visitors,
  path: '/pricing',
  validateSearch: readPricingSearch,
  component: page(() => import('../features/pricing/PricingPage.tsx'), 'PricingPage'),
});

const docs = createRoute({
  getParentRoute: () => visitors,
  path: '/docs/$',
  component: page(() => import('../features/manual/DocsPage.tsx'), 'DocsPage'),
});

const admin = createRoute({ getParentRoute: () => console, id: '_admin', component: translated(AdminOnly) });

const channels = createRoute({
  getParentRoute: () => admin,
  path: '/channel',
  validateSearch: readChannelSearch,
  component: page(() => import('../features/channels/ChannelsPage.tsx'), 'ChannelsPage'),
});
const channelAdd = createRoute({
  getParentRoute: () => channels,
  path: '/add',
  component: page(() => import('../features/channel-editor/ChannelDrawer.tsx'), 'AddChannel'),
});
const channelEdit = createRoute({
  getParentRoute: () => channels,
  path: '/edit/$id',
  ...ofRow,
  component: page(() => import('../features/channel-editor/ChannelDrawer.tsx'), 'EditChannel'),
});
const channelUpstream = createRoute({
  getParentRoute: () => channels,
  path: '/upstream/$id',
  ...ofRow,
  component: page(() => import('../features/channels/UpstreamDialog.tsx'), 'UpstreamDialog'),
});
const channelHealth = createRoute({
  getParentRoute: () => channels,
  path: '/health/$id',
  ...ofRow,
  component: page(() => import('../features/channel-health/HealthDrawer.tsx'), 'HealthDrawer'),
});
const channelTag = createRoute({
  getParentRoute: () => channels,
  path: '/tag/$tag',
  component: page(() => import('../features/tag-editor/TagDrawer.tsx'), 'TagDrawer'),
});
const routePlan = createRoute({
  getParentRoute: () => admin,
  path: '/route',
  validateSearch: readRouteSearch,
  component: page(() => import('../features/route/RoutePage.tsx'), 'RoutePage'),
});

const redemptions = createRoute({
  getParentRoute: () => admin,
  path: '/redemption',
  validateSearch: readRedemptionSearch,
  component: page(() => import('../features/redemptions/RedemptionsPage.tsx'), 'RedemptionsPage'),
});
const redemptionAdd = createRoute({
  getParentRoute: () => redemptions,
  path: '/add',
  component: page(() => import('../features/redemptions/RedemptionDrawer.tsx'), 'AddRedemption'),
});
const redemptionCampaigns = createRoute({
  getParentRoute: () => redemptions,
  path: '/campaigns',
  component: page(() => import('../features/redemptions/Campaigns.tsx'), 'Campaigns'),
});
const redemptionEdit = createRoute({
  getParentRoute: () => redemptions,
  path: '/edit/$id',
  ...ofRow,
  component: page(() => import('../features/redemptions/RedemptionDrawer.tsx'), 'EditRedemption'),
});

const payments = createRoute({
  getParentRoute: () => admin,
  path: '/payment',
  validateSearch: readPaymentSearch,
  component: page(() => import('../features/payments/PaymentsPage.tsx'), 'PaymentsPage'),
});

const users = createRoute({
  getParentRoute: () => admin,
  path: '/user',
  validateSearch: readUserSearch,
  component: page(() => import('../features/users/UsersPage.tsx'), 'UsersPage'),
});
const userAdd = createRoute({
  getParentRoute: () => users,
  path: '/add',
  component: page(() => import('../features/users/UserDrawer.tsx'), 'AddUser'),
});
const userEdit = createRoute({
  getParentRoute: () => users,
  path: '/edit/$id',
  ...ofRow,
  component: page(() => import('../features/users/UserDrawer.tsx'), 'EditUser'),
});

const agents = createRoute({
  getParentRoute: () => admin,
  path: '/agent/manage',
  validateSearch: readManageSearch,
  component: page(() => import('../features/agents/manage/ManagePage.tsx'), 'ManagePage'),
});
const agentAdd = createRoute({
  getParentRoute: () => agents,
  path: '/add',
  component: page(() => import('../features/agents/manage/AgentDrawer.tsx'), 'AddAgent'),
});
const agentEdit = createRoute({
  getParentRoute: () => agents,
  path: '/edit/$id',
  ...ofRow,
  component: page(() => import('../features/agents/manage/AgentDrawer.tsx'), 'EditAgent'),
});

const rootOnly = createRoute({ getParentRoute: () => console, id: '_root', component: translated(RootOnly) });
const audit = createRoute({
  getParentRoute: () => rootOnly,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: page(() => import('../features/audit/AuditPage.tsx'), 'AuditPage'),
});

const ledger = createRoute({
  getParentRoute: () => rootOnly,
  path: '/ledger',
  component: page(() => import('../features/proof/ProofPage.tsx'), 'ProofPage'),
});

const doctor = createRoute({
  getParentRoute: () => rootOnly,
  path: '/doctor',
  component: page(() => import('../features/doctor/DoctorPage.tsx'), 'DoctorPage'),
});

const importing = createRoute({
  getParentRoute: () => rootOnly,
  path: '/import',
  component: page(() => import('../features/import/ImportPage.tsx'), 'ImportPage'),
});

const setting = createRoute({
  getParentRoute: () => console,
  path: '/setting',
  validateSearch: readSettingSearch,
  loaderDeps: ({ search: { tab } }) => ({ tab }),
  loader: async ({ deps: { tab } }) => (await import('./setting/SettingPage.tsx')).preloadTab(tab),
  component: page(() => import('./setting/SettingPage.tsx'), 'SettingPage'),
});

const tokens = createRoute({
  getParentRoute: () => console,
  path: '/token',
  validateSearch: readTokenSearch,
  component: page(() => import('../features/tokens/TokensPage.tsx'), 'TokensPage'),
});
const tokenAdd = createRoute({
  getParentRoute: () => tokens,
  path: '/add',
  component: page(() => import('../features/token-editor/TokenDrawer.tsx'), 'AddToken'),
});
const tokenEdit = createRoute({
  getParentRoute: () => tokens,
  path: '/edit/$id',
  ...ofRow,
  component: page(() => import('../features/token-editor/TokenDrawer.tsx'), 'EditToken'),
});
const tokenUse = createRoute({
  getParentRoute: () => tokens,
  path: '/use/$id',
  ...ofRow,
  component: page(() => import('../features/tokens/HowToDialog.tsx'), 'HowToDialog'),
});

const wallet = createRoute({
  getParentRoute: () => console,
  path: '/topup',
  component: page(() => import('../features/wallet/WalletPage.tsx'), 'WalletPage'),
});
const walletOrders = createRoute({
  getParentRoute: () => console,
  path: '/topup/records',
  validateSearch: readListSearch,
  component: page(() => import('../features/wallet/RecordPages.tsx'), 'OrdersPage'),
});
const walletStatement = createRoute({
  getParentRoute: () => console,
  path: '/topup/statement',
  validateSearch: readStatementSearch,
  component: page(() => import('../features/wallet/RecordPages.tsx'), 'StatementPage'),
});
const walletInvites = createRoute({
  getParentRoute: () => console,
  path: '/aff/records',
  validateSearch: readInviteSearch,
  component: page(() => import('../features/wallet/RecordPages.tsx'), 'InvitesPage'),
});

const agency = createRoute({
  getParentRoute: () => console,
  path: '/agent',
  validateSearch: readAgentSearch,
  component: page(() => import('../features/agents/AgentPage.tsx'), 'AgentPage'),
});
const agencyDividends = createRoute({
  getParentRoute: () => console,
  path: '/agent/dividends',
  validateSearch: readRecordSearch,
  component: page(() => import('../features/agents/RecordPages.tsx'), 'DividendsPage'),
});
const agencyWithdrawals = createRoute({
  getParentRoute: () => console,
  path: '/agent/withdrawals',
  validateSearch: readRecordSearch,
  component: page(() => import('../features/agents/RecordPages.tsx'), 'WithdrawalsPage'),
});

const playground = createRoute({
  getParentRoute: () => console,
  path: '/playground',
  component: page(() => import('../features/playground/PlaygroundPage.tsx'), 'PlaygroundPage'),
});
const announcements = createRoute({
  getParentRoute: () => console,
  path: '/announcement',
  validateSearch: readListSearch,
  component: page(() => import('../features/announcements/AnnouncementsPage.tsx'), 'AnnouncementsPage'),
});
const chat = createRoute({
  getParentRoute: () => console,
  path: '/chat/$id',
  component: page(() => import('../features/chat/ChatPage.tsx'), 'ChatPage'),
});
const firstChat = createRoute({
  getParentRoute: () => console,
  path: '/chat2link',
  component: page(() => import('../features/chat/ChatPage.tsx'), 'FirstChatPage'),
});
const dashboard = createRoute({
  getParentRoute: () => console,
  path: '/detail',
  validateSearch: readDashboardSearch,
  component: page(() => import('../features/dashboard/DashboardPage.tsx'), 'DashboardPage'),
});
const logs = createRoute({
  getParentRoute: () => console,
  path: '/log',
  validateSearch: readLogSearch,
  component: page(() => import('../features/logs/LogsPage.tsx'), 'LogsPage'),
});

const drawing = createRoute({
  getParentRoute: () => console,
  path: '/midjourney',
  validateSearch: readTaskListSearch,
  component: page(() => import('../features/drawing/DrawingPage.tsx'), 'DrawingPage'),
});
const tasks = createRoute({
  getParentRoute: () => console,
  path: '/task',
  validateSearch: readTaskSearch,
  component: page(() => import('../features/tasks/TasksPage.tsx'), 'TasksPage'),
});

export const routeTree = root.addChildren([
  visitors.addChildren([home, login, register, reset, resetConfirm, oauth, about, pricing, docs]),
  console.addChildren([
    admin.addChildren([
      channels.addChildren([channelAdd, channelEdit, channelUpstream, channelHealth, channelTag]),
      routePlan,
      redemptions.addChildren([redemptionAdd, redemptionCampaigns, redemptionEdit]),
      payments,
      agents.addChildren([agentAdd, agentEdit]),
      users.addChildren([userAdd, userEdit]),
    ]),
    rootOnly.addChildren([audit, ledger, doctor, importing]),
    tokens.addChildren([tokenAdd, tokenEdit, tokenUse]),
    wallet,
    walletOrders,
    walletStatement,
    walletInvites,
    agency,
    agencyDividends,
    agencyWithdrawals,
    dashboard,
    playground,
    chat,
    firstChat,
    logs,
    announcements,
    drawing,
    tasks,
    setting,
  ]),
]);
