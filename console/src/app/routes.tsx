import { createRootRoute, createRoute, lazyRouteComponent, notFound, Outlet, redirect } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { isProvider } from '../api/doors.ts';
import { getSession, isAdmin, isRoot, useSession } from '../api/session.ts';
import { readAuditSearch } from '../features/audit/search.ts';
import { readCallbackSearch, readLoginSearch, readRegisterSearch, readResetSearch } from '../features/auth/search.ts';
import { readChannelSearch } from '../features/channels/search.ts';
import { readLogSearch } from '../features/logs/search.ts';
import { readPricingSearch } from '../features/pricing/search.ts';
import { readRedemptionSearch } from '../features/redemptions/search.ts';
import { readRouteSearch } from '../features/route/search.ts';
import { readTokenSearch } from '../features/tokens/search.ts';
import { readUserSearch } from '../features/users/search.ts';
import { useLanguage } from '../i18n/language.ts';
import { readListSearch } from '../lib/list-search.ts';
import { readSettingSearch } from './setting/search.ts';
import { Forbidden, NotFound } from './shell/faults.tsx';
import { PublicLayout, Shell } from './shell/Shell.tsx';

/** Subscribes a page to the language, so that a switch redraws it and everything in it without a reload. */
function translated(Page: FunctionComponent): FunctionComponent {
  return function TranslatedPage() {
    useLanguage();
    return <Page />;
  };
}

/** A page on its own chunk, redrawn on language switches. */
function page<Name extends string>(load: () => Promise<Record<Name, FunctionComponent>>, name: Name) {
  return lazyRouteComponent(async () => ({ default: translated((await load())[name]) }));
}

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
  // Whoever is signed in has nothing to do here; also when that happens in another window, such as a provider's.
  beforeLoad({ search }) {
    const session = getSession();
    if (session && !session.must_change_password) throw redirect({ href: search.redirect ?? '/token', replace: true });
  },
  component: page(() => import('../features/auth/LoginPage.tsx'), 'LoginPage'),
});
const register = createRoute({
  getParentRoute: () => visitors,
  path: '/register',
  validateSearch: readRegisterSearch,
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

const pricing = createRoute({
  getParentRoute: () => visitors,
  path: '/pricing',
  validateSearch: readPricingSearch,
  component: page(() => import('../features/pricing/PricingPage.tsx'), 'PricingPage'),
});

function AdminOnly() {
  return isAdmin(useSession()) ? <Outlet /> : <Forbidden />;
}
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
  component: page(() => import('../features/channel-editor/ChannelDrawer.tsx'), 'EditChannel'),
});
const channelUpstream = createRoute({
  getParentRoute: () => channels,
  path: '/upstream/$id',
  component: page(() => import('../features/channels/UpstreamDialog.tsx'), 'UpstreamDialog'),
});
const channelHealth = createRoute({
  getParentRoute: () => channels,
  path: '/health/$id',
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
const redemptionEdit = createRoute({
  getParentRoute: () => redemptions,
  path: '/edit/$id',
  component: page(() => import('../features/redemptions/RedemptionDrawer.tsx'), 'EditRedemption'),
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
  component: page(() => import('../features/users/UserDrawer.tsx'), 'EditUser'),
});

function RootOnly() {
  return isRoot(useSession()) ? <Outlet /> : <Forbidden />;
}
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

const setting = createRoute({
  getParentRoute: () => console,
  path: '/setting',
  validateSearch: readSettingSearch,
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
  component: page(() => import('../features/token-editor/TokenDrawer.tsx'), 'EditToken'),
});
const tokenUse = createRoute({
  getParentRoute: () => tokens,
  path: '/use/$id',
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
const walletInvites = createRoute({
  getParentRoute: () => console,
  path: '/aff/records',
  validateSearch: readListSearch,
  component: page(() => import('../features/wallet/RecordPages.tsx'), 'InvitesPage'),
});

const logs = createRoute({
  getParentRoute: () => console,
  path: '/log',
  validateSearch: readLogSearch,
  component: page(() => import('../features/logs/LogsPage.tsx'), 'LogsPage'),
});

export const routeTree = root.addChildren([
  visitors.addChildren([home, login, register, reset, resetConfirm, oauth, pricing]),
  console.addChildren([
    admin.addChildren([
      channels.addChildren([channelAdd, channelEdit, channelUpstream, channelHealth, channelTag]),
      routePlan,
      redemptions.addChildren([redemptionAdd, redemptionEdit]),
      users.addChildren([userAdd, userEdit]),
    ]),
    rootOnly.addChildren([audit, ledger]),
    tokens.addChildren([tokenAdd, tokenEdit, tokenUse]),
    wallet,
    walletOrders,
    walletInvites,
    logs,
    setting,
  ]),
]);
