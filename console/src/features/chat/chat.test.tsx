import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common } from '../../../test/fixtures.ts';
import { refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';

/** One that no frame may show. */
const chats = [{ 网页: 'http://chat.example.com/#{key}' }];

describe('a chat client', () => {
  it.each(['/api/token', '/api/status'])(
    'that cannot be opened because of %s says so, and is opened by another try',
    async (asked) => {
      let down = true;
      const app = renderApp('/chat/0', {
        signedIn: common,
        status: { chats },
        override: ({ path }) => (down && path === asked ? refuse('数据库不可用', 500) : undefined),
      });
      // Beside it a banner may say that the site's status is unknown.
      expect((await screen.findByText(/数据库不可用/)).closest('[role="alert"]')).toBeTruthy();
      expect(screen.getByRole('heading', { name: '聊天' })).toBeTruthy();
      down = false;
      await app.user.click(screen.getByRole('button', { name: '重试' }));
      expect(await screen.findByRole('link', { name: '在新窗口打开' })).toBeTruthy();
    },
  );

  it('that is open stays when its key cannot be asked for again', async () => {
    let down = false;
    const app = renderApp('/chat/0', {
      signedIn: common,
      status: { chats },
      override: ({ path }) => (down && path === '/api/token' ? refuse('数据库不可用', 500) : undefined),
    });
    await screen.findByRole('link', { name: '在新窗口打开' });
    down = true;
    await app.readAgain();
    expect([screen.queryByRole('link', { name: '在新窗口打开' }) !== null, screen.queryByRole('alert')]).toEqual([true, null]);
  });

  it.each(['/chat/1', '/chat/abc'])('that nobody set up is no fault of the settings: %s', async (path) => {
    renderApp(path, { signedIn: common, status: { chats } });
    expect(await screen.findByText('页面不存在')).toBeTruthy();
    expect(screen.queryByText('聊天链接配置错误，请联系管理员')).toBeNull();
  });

  it('is missed where there is none', async () => {
    renderApp('/chat2link', { signedIn: common, status: { chats: [] } });
    expect(await screen.findByText('请联系管理员配置聊天链接')).toBeTruthy();
  });
});
