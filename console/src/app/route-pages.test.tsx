import { afterEach, describe, expect, it, vi } from 'vitest';
import { page } from './route-pages.tsx';

/** What the router takes for a newer version, and loads everything anew. */
const missing = 'Failed to fetch dynamically imported module: /assets/Page.js';

/** Draws a page whose program does not come, once that is known. */
async function lostPage(answer: () => Promise<Response>) {
  vi.stubGlobal('fetch', answer);
  const Lost = page(() => Promise.reject<{ Page(): null }>(new TypeError(missing)), 'Page');
  await Lost.preload?.();
  return () => Lost({});
}

describe('a page whose program does not come', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('says that the server cannot be reached where nothing could be loaded anew', async () => {
    expect(await lostPage(() => Promise.reject(new TypeError('Failed to fetch')))).toThrow('无法连接到服务器');
  });

  it('is loaded anew with all others where the server answers', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockReturnValue();
    expect(await lostPage(async () => Response.json({ success: true, message: '', data: {} }))).toThrow();
    expect(reload).toHaveBeenCalledOnce();
    reload.mockRestore();
    sessionStorage.clear();
  });
});
