import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { getSession, isAdmin, useSession } from '../api/session.ts';
import { readLoginSearch, readRegisterSearch } from '../features/auth/search.ts';
import { readChannelSearch } from '../features/channels/search.ts';
import { readLogSearch } from '../features/logs/search.ts';
import { readRouteSearch } from '../features/route/search.ts';
import { readTokenSearch } from '../features/tokens/search.ts';
import { useLanguage } from '../i18n/language.ts';
import { Forbidden, NotFound } from './shell/faults.tsx';
import { ConsoleLayout, PublicLayout, Shell } from './shell/Shell.tsx';

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
  component: translated(ConsoleLayout),
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
  component: page(() => import('../features/auth/LoginPage.tsx'), 'LoginPage'),
});
const register = createRoute({
  getParentRoute: () => visitors,
  path: '/register',
  validateSearch: readRegisterSearch,
  component: page(() => import('../features/auth/RegisterPage.tsx'), 'RegisterPage'),
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

const logs = createRoute({
  getParentRoute: () => console,
  path: '/log',
  validateSearch: readLogSearch,
  component: page(() => import('../features/logs/LogsPage.tsx'), 'LogsPage'),
});

export const routeTree = root.addChildren([
  visitors.addChildren([home, login, register]),
  console.addChildren([
    admin.addChildren([channels.addChildren([channelAdd, channelEdit, channelUpstream, channelHealth, channelTag]), routePlan]),
    tokens.addChildren([tokenAdd, tokenEdit]),
    logs,
  ]),
]);
