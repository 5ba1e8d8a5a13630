import { describe, expect, it } from 'vitest';
import { pages } from '../../test/look-pages.ts';
import { routeTree } from './routes.tsx';

interface Branch {
  options: { path?: string };
  children?: Record<string, Branch> | Branch[];
}

/** Paths of all pages below, `$x` standing for anything. */
function pathsOf({ options, children = [] }: Branch, above = ''): string[] {
  const path = above + (options.path ?? '');
  return [...(options.path === undefined ? [] : [path]), ...Object.values(children).flatMap((child) => pathsOf(child, path))];
}

const fits = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/\$\w+/g, '[^/]+')}$`).test(path.split('?', 1)[0] ?? '');

describe('the pictures of the console', () => {
  it('show every page of the table of routes', () => {
    const routes = pathsOf(routeTree as unknown as Branch);
    expect(routes).toContain('/channel/edit/$id');
    const shown = Object.values(pages).map(({ path }) => path);
    expect(routes.filter((route) => !shown.some((path) => fits(route, path)))).toEqual([]);
  });
});
