import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common, logOf, root } from '../../../test/fixtures.ts';
import { type MockAnswer, ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { parsedBody } from './body.ts';

describe('a body', () => {
  it('is read as JSON, or as the events of a stream, else not at all', () => {
    expect(parsedBody(' {"a":1}')).toEqual({ a: 1 });
    expect(parsedBody('data: {"a":1}\n\ndata: [DONE]\n\n')).toEqual([{ a: 1 }, '[DONE]']);
    for (const text of ['', 'plain', '{"cut": "of']) expect(parsedBody(text)).toBeUndefined();
  });
});

async function open(answer: MockAnswer | (() => MockAnswer), signedIn = root) {
  const app = renderApp('/log', {
    signedIn,
    override({ path }) {
      if (/^\/api\/log(\/self)?$/.test(path))
        return ok({ items: [logOf({ id: 5, user_id: 7 })], page: 1, page_size: 10, total: 1 });
      return path === '/api/log/5/body' ? (typeof answer === 'function' ? answer() : answer) : undefined;
    },
  });
  await app.user.click(await screen.findByRole('button', { name: '详情' }));
  await app.user.click(screen.getByRole('button', { name: '查看请求与响应' }));
  return app;
}

const body = {
  ...{ request_id: 'r', created_at: 1_795_195_800, status: 200, truncated: false },
  request: '{"model":"gpt-4o","messages":[{"role":"user","content":[{"text":"hello"}]}]}',
  response: 'plain text',
};

describe('captured bodies', () => {
  it('come on demand, as a tree that folds, with what was left out said', async () => {
    const app = await open(ok(body));
    const request = within(await screen.findByRole('region', { name: '请求' }));
    expect(request.getByText('"gpt-4o"')).toBeTruthy();
    expect(request.queryByText('"hello"')).toBeNull();
    expect(screen.getByText(/凭据已去除/).textContent).toContain('审计日志');
    await app.user.click(request.getByRole('button', { name: '原文' }));
    expect(request.getByText(body.request)).toBeTruthy();
    expect(within(screen.getByRole('region', { name: '响应' })).getByText('plain text')).toBeTruthy();
    await app.user.click(request.getByRole('button', { name: '复制请求' }));
    expect(await navigator.clipboard.readText()).toBe(body.request);
  });

  it('say that they were cut, and that nobody answered', async () => {
    await open(ok({ ...body, response: '', status: 0, truncated: true }), common);
    await screen.findByText('内容太长，只保存了开头。');
    expect(screen.getByText('没有响应')).toBeTruthy();
    expect(screen.getByText(/凭据已去除/).textContent).not.toContain('审计日志');
  });

  it('say that they could not be read, and are asked for again', async () => {
    let asked = 0;
    const app = await open(() => (asked++ === 0 ? refuse('数据库忙', 500) : ok(body)));
    expect((await screen.findByRole('alert')).textContent).toContain('数据库忙');
    await app.user.click(screen.getByRole('button', { name: '重试' }));
    await screen.findByRole('region', { name: '请求' });
  });

  it('say that they were not kept, and to administrators what to do about it', async () => {
    await open(refuse('没有保存该请求的内容', 404));
    await screen.findByText(/没有保存该请求的内容 可在/);
  });
});
