import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Every page of visitors, by its route, and what it is opened with. */
export const visitors: Readonly<Record<string, readonly string[]>> = {
  '/': ['/'],
  '/login': ['/login', '/login?expired=true'],
  '/register': ['/register?aff=Ab3d'],
  '/reset': ['/reset'],
  '/user/reset': ['/user/reset?email=a@example.com&token=b'],
  '/oauth/$provider': ['/oauth/github?code=a&state=b'],
  '/about': ['/about'],
  '/pricing': ['/pricing'],
  '/docs/$': ['/docs', '/docs/protocols', '/docs/api'],
};
/** Every page of whoever is signed in, and what it is opened with; `$channel` and the like stand for an id of `furnish`. */
export const signedIn: Readonly<Record<string, readonly string[]>> = {
  '/channel': ['/channel'],
  '/channel/add': ['/channel/add'],
  '/channel/edit/$id': ['/channel/edit/$channel'],
  '/channel/upstream/$id': ['/channel/upstream/$channel'],
  '/channel/health/$id': ['/channel/health/$channel'],
  '/channel/tag/$tag': ['/channel/tag/west'],
  '/route': ['/route', '/route?model=gpt-4o-mini'],
  '/redemption': ['/redemption'],
  '/redemption/add': ['/redemption/add'],
  '/redemption/campaigns': ['/redemption/campaigns'],
  '/redemption/edit/$id': ['/redemption/edit/1'],
  '/payment': ['/payment', '/payment?tab=inbox', '/payment?tab=unmatched'],
  '/agent': ['/agent'],
  '/agent/dividends': ['/agent/dividends'],
  '/agent/withdrawals': ['/agent/withdrawals'],
  '/agent/manage': ['/agent/manage', '/agent/manage?tab=withdrawals', '/agent/manage?tab=dividends'],
  '/agent/manage/add': ['/agent/manage/add'],
  '/agent/manage/edit/$id': ['/agent/manage/edit/$user'],
  '/announcement': ['/announcement'],
  '/user': ['/user'],
  '/user/add': ['/user/add'],
  '/user/edit/$id': ['/user/edit/$user'],
  '/audit': ['/audit'],
  '/ledger': ['/ledger'],
  '/doctor': ['/doctor'],
  '/import': ['/import'],
  '/token': ['/token'],
  '/token/add': ['/token/add'],
  '/token/edit/$id': ['/token/edit/$token'],
  '/token/use/$id': ['/token/use/$token'],
  '/topup': ['/topup'],
  '/topup/records': ['/topup/records'],
  '/topup/statement': ['/topup/statement', '/topup/statement?user=$user', '/topup/statement?agency=1'],
  '/aff/records': ['/aff/records', '/aff/records?tab=rewards'],
  '/detail': ['/detail'],
  '/playground': ['/playground'],
  '/chat/$id': ['/chat/0', '/chat/1'],
  '/chat2link': ['/chat2link'],
  '/log': ['/log'],
  '/midjourney': ['/midjourney'],
  '/task': ['/task'],
  '/setting': [
    ...['/setting', '/setting?tab=operation', '/setting?tab=system', '/setting?tab=other', '/setting?tab=history'],
    '/nowhere',
  ],
};

/** The pages of the console, out of its table of routes. */
export function readRoutes(): string[] {
  const file = path.resolve(import.meta.dirname, '../../console/src/app/routes.tsx');
  const found = readFileSync(file, 'utf8').matchAll(
    /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(path|id): '([^']+)'/g,
  );
  const paths = new Map<string, string>();
  const pages: string[] = [];
  for (const [, name = '', parent = '', kind, text = ''] of found) {
    const full = (paths.get(parent) ?? '') + (kind === 'path' ? text : '');
    paths.set(name, full);
    if (kind === 'path') pages.push(full);
  }
  return pages;
}
