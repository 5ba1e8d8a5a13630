import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { manualFiles } from '../../../manual.ts';
import { renderApp } from '../../../test/render.tsx';

const files = new Map(manualFiles().map(({ fileName, source }) => [`/${fileName}`, source]));

/** The application with the files that the build would have. */
function openManual(path: string) {
  const rendered = renderApp(path);
  const others = globalThis.fetch;
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const file = files.get(url);
    return file === undefined ? others(url, init) : new Response(String(file));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return rendered;
}

/** The contents stand there twice: beside the page, and folded above it on phones. */
const contents = () => within(screen.getByRole('complementary', { name: '目录' }));

describe('the manual', () => {
  it('opens at its first page, for visitors too, and leads to another without a reload', async () => {
    const { user, router } = openManual('/docs');
    await screen.findByRole('heading', { level: 1, name: '五分钟上手' });
    await user.click(contents().getByRole('link', { name: '概念' }));
    await screen.findByRole('heading', { level: 1, name: '概念' });
    expect(router.state.location.pathname).toBe('/docs/concepts');
    expect(contents().getByRole('link', { name: '概念' }).getAttribute('aria-current')).toBe('page');
  });

  it('finds headings, and says when there is none', async () => {
    const { user } = openManual('/docs/start');
    await screen.findByRole('heading', { level: 1 });
    const search = contents().getByRole('searchbox', { name: '搜索标题' });
    await user.type(search, '实时');
    expect(contents().getByRole('link', { name: '协议与 SDK › 实时会话' }).getAttribute('href')).toContain('/docs/protocols#');
    await user.type(search, 'nothing like it');
    await contents().findByText('没有符合的内容');
  });

  it('shows the address of this server, and copies what it shows', async () => {
    const { user } = openManual('/docs/start');
    await screen.findByRole('heading', { level: 1 });
    const shown = () => screen.getAllByText(/^curl /)[0]?.textContent;
    await waitFor(() => expect(shown()).not.toContain('localhost:3000'));
    await user.click(screen.getAllByRole('button', { name: '复制' }).at(-1) ?? document.body);
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe(shown()));
  });

  it('begins at the heading that its address names, and at its top where that is none', async () => {
    const shown = vi.spyOn(Element.prototype, 'scrollIntoView');
    openManual('/docs/protocols#%E5%AE%9E%E6%97%B6%E4%BC%9A%E8%AF%9D');
    const heading = await screen.findByRole('heading', { name: /^实时会话/ });
    expect(shown.mock.contexts).toContain(heading);
    shown.mockRestore();
    cleanup();
    window.location.hash = '%E5%AE';
    onTestFinished(() => {
      window.location.hash = '';
    });
    openManual('/docs/start#%E5%AE');
    await screen.findByRole('heading', { level: 1, name: '五分钟上手' });
  });

  it('says that a page does not exist', async () => {
    openManual('/docs/nowhere');
    await screen.findByText('没有这一页');
  });
});

describe('the pages of the manual', () => {
  it('exist in both languages, and every link within them leads to a heading', () => {
    const pages = new Map<string, string>();
    for (const language of ['zh', 'en']) {
      const index = JSON.parse(String(files.get(`/manual/${language}.json`))) as { name: string; file: string }[];
      for (const { name, file } of index)
        pages.set(`${language}/docs/${name}`, (JSON.parse(String(files.get(file))) as { html: string }).html);
    }
    expect(pages.size % 2).toBe(0);
    const dead = [...pages].flatMap(([page, html]) =>
      [...html.matchAll(/href="(\/docs\/[\w-]+)?#([^"]+)"/g)]
        .filter(([, path, id]) => {
          const target = path === undefined ? page : `${page.slice(0, 2)}${path}`;
          return !pages.get(target)?.includes(`id="${decodeURIComponent(id ?? '')}"`);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });
});
