import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { common, status, tokenOf, tokens } from '../../../test/fixtures.ts';
import { ok, refuse, refuseFor } from '../../../test/mock-api.ts';
import { holdWrites, renderApp, seeNotice } from '../../../test/render.tsx';
import { chatAddress, readChats } from '../../lib/chats.ts';
import { sample } from '../../lib/samples.ts';
import { notices } from '../../ui/notify.ts';
import { exampleModel, fullKey, statusOf, whyNotEnabled } from './model.ts';

const rowOf = async (name: string): Promise<HTMLElement> => {
  const row = (await screen.findByText(name)).closest('tr');
  if (!row) throw new Error(`no row for ${name}`);
  return row;
};

function stubClipboard() {
  const writeText = vi.fn(async (_text: string) => undefined);
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as unknown as Clipboard);
  return writeText;
}

describe('the token list', () => {
  it('asks for the page and size of the address, and remembers the size', async () => {
    const many = Array.from({ length: 20 }, (_, index) => tokenOf({ id: index + 1, name: `t${index}` }));
    const override = ({ path }: { path: string }) => (path === '/api/token' ? ok(many) : undefined);
    const app = renderApp('/token?p=3&size=20', { signedIn: common, override });
    await rowOf('t0');
    expect(app.calls.find((call) => call.path === '/api/token')?.query).toEqual({ p: '2', size: '20', peek: 'true' });
    expect(screen.getByText('第 3 页')).toBeTruthy();
    await app.user.selectOptions(screen.getByRole('combobox', { name: '每页条数' }), '50');
    await waitFor(() => expect(app.router.state.location.href).toBe('/token?size=50'));
    expect(JSON.parse(localStorage.getItem('table:token:v1') ?? '{}')).toEqual({ size: 50 });
  });

  it('switches off and deletes what is selected, after a yes', async () => {
    const three = [1, 2, 3].map((id) => tokenOf({ id, name: `t${id}`, status: id === 2 ? 2 : 1 }));
    const override = ({ path, method }: { path: string; method: string }) =>
      path === '/api/token' && method === 'GET' ? ok(three) : undefined;
    const app = renderApp('/token', { signedIn: common, override });
    const choose = async (...names: string[]) => {
      for (const name of names) await app.user.click(within(await rowOf(name)).getByRole('checkbox'));
    };
    const sure = async (title: string, name: string) => {
      await app.user.click(within(await screen.findByRole('region', { name: '批量操作' })).getByRole('button', { name }));
      const dialog = within(await screen.findByRole('dialog', { name: title }));
      await app.user.click(dialog.getByRole('button', { name }));
      await waitFor(() => expect(screen.queryByRole('region', { name: '批量操作' })).toBeNull());
    };
    await choose('t1', 't2');
    await sure('禁用所选的 1 个？', '禁用');
    expect(app.sent('PUT', '/api/token')).toEqual([{ id: 1, status: 2 }]);
    await choose('t2', 't3');
    await sure('删除所选的 2 个令牌？', '删除');
    const removed = app.calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(removed).toEqual(['/api/token/2', '/api/token/3']);
  });

  it('shows a token that is past its time as expired, also before anybody has used it', async () => {
    const over = tokenOf({ id: 1, name: 'over', status: 1, expired_time: 1_700_000_000 });
    renderApp('/token', { signedIn: common, override: ({ path }) => (path === '/api/token' ? ok([over]) : undefined) });
    const row = within(await rowOf('over'));
    expect(row.getByText('已过期')).toBeTruthy();
    expect(row.getByRole('button', { name: '启用' }).getAttribute('aria-disabled')).toBe('true');
  });

  it('cannot go past a page that is not full', async () => {
    renderApp('/token', { signedIn: common });
    await rowOf('VS Code');
    expect(screen.getByRole('button', { name: '下一页' }).hasAttribute('disabled')).toBe(true);
    expect(screen.getByRole('button', { name: '上一页' }).hasAttribute('disabled')).toBe(true);
  });

  it('puts a search into the address once and starts it at the first page', async () => {
    const app = renderApp('/token?p=2', { signedIn: common });
    await app.user.type(await screen.findByRole('searchbox', { name: '名称' }), 'VS{Enter}');
    await rowOf('VS Code');
    expect(app.router.state.location.href).toBe('/token?keyword=VS');
    expect(app.calls.filter((call) => call.path === '/api/token/search').map((call) => call.query)).toEqual([
      { keyword: 'VS', p: '0', page_size: '100', peek: 'true' },
    ]);
  });

  it('reaches every match of a search, by the hundred', async () => {
    const many = Array.from({ length: 130 }, (_, at) => tokenOf({ id: 1000 + at, name: `key ${at}` }));
    const app = renderApp('/token?keyword=key&status=1&size=20&p=5', {
      signedIn: common,
      override: ({ path, query: { p = 0, page_size: size = 10 } }) =>
        path === '/api/token/search' ? ok(many.slice(Number(p) * Number(size), (Number(p) + 1) * Number(size) + 1)) : undefined,
    });
    await rowOf('key 99');
    expect(screen.getByText('共 100+ 条')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await rowOf('key 119');
    expect(screen.getByText('共 130 条')).toBeTruthy();
    expect(app.calls.filter(({ path }) => path === '/api/token/search').at(-1)?.query).toMatchObject({ p: '1', status: '1' });
  });

  it('keeps the key masked until it is asked for', async () => {
    const app = renderApp('/token', { signedIn: common });
    const row = await rowOf('VS Code');
    const key = fullKey(tokens[1] ?? tokenOf({}));
    expect(row.textContent).not.toContain(key);
    await app.user.click(within(row).getByRole('button', { name: '查看密钥' }));
    expect(row.textContent).toContain(key);
  });

  it('copies what is selected, and says so when nothing is', async () => {
    const app = renderApp('/token', { signedIn: common });
    const writeText = stubClipboard();
    await rowOf('VS Code');
    await app.user.click(screen.getByRole('button', { name: /复制所选令牌/ }));
    expect(await screen.findByText('请至少选择一个令牌！')).toBeTruthy();
    await app.user.click(screen.getByRole('checkbox', { name: '选择 #11' }));
    await app.user.click(screen.getByRole('button', { name: '复制所选令牌（1）' }));
    expect(writeText).toHaveBeenCalledWith(`VS Code    ${fullKey(tokens[1] ?? tokenOf({}))}`);
  });

  it('shows a new status at once and takes it back when the server refuses', async () => {
    const app = renderApp('/token', {
      signedIn: common,
      override: ({ method, path }) => (method === 'PUT' && path === '/api/token' ? refuse('不行') : undefined),
    });
    const row = await rowOf('ci-nightly');
    await app.user.click(within(row).getByRole('button', { name: '禁用' }));
    await seeNotice('不行');
    expect(app.sent('PUT', '/api/token')).toEqual([{ id: 6, status: 2 }]);
    expect(within(row).getByText('已启用')).toBeTruthy();
  });

  it('sends a second change of mind when the first has been taken', async () => {
    const app = renderApp('/token', { signedIn: common });
    const row = within(await rowOf('ci-nightly'));
    const { begun, taken } = holdWrites();
    await app.user.click(row.getByRole('button', { name: '禁用' }));
    await row.findByText('已禁用');
    await app.user.click(row.getByRole('button', { name: '启用' }));
    await row.findByText('已启用');
    expect(begun).toHaveLength(1);
    taken();
    await waitFor(() => expect(app.sent('PUT', '/api/token')).toMatchObject([{ status: 2 }, { status: 1 }]));
  });

  it('keeps showing what the server has when an undo is refused', async () => {
    let changes = 0;
    const override = ({ method, path }: { method: string; path: string }) => {
      if (method !== 'PUT' || path !== '/api/token') return undefined;
      changes += 1;
      return changes === 1 ? undefined : refuse('不行');
    };
    const app = renderApp('/token', { signedIn: common, override });
    const row = await rowOf('ci-nightly');
    await app.user.click(within(row).getByRole('button', { name: '禁用' }));
    await app.user.click(await screen.findByRole('button', { name: '撤销' }));
    await seeNotice('不行');
    expect(app.sent('PUT', '/api/token')).toEqual([
      { id: 6, status: 2 },
      { id: 6, status: 1 },
    ]);
    expect(within(row).getByText('已禁用')).toBeTruthy();
  });

  it('explains instead of enabling what has expired', async () => {
    const app = renderApp('/token', { signedIn: common });
    const row = await rowOf('实习生');
    await app.user.click(within(row).getByRole('button', { name: '启用' }));
    expect(app.sent('PUT', '/api/token')).toEqual([]);
    expect(await screen.findAllByText('令牌已过期，请先修改过期时间，或者设置为永不过期')).not.toHaveLength(0);
  });

  it('deletes after a question, never without', async () => {
    const app = renderApp('/token', { signedIn: common });
    const row = await rowOf('压测');
    const ask = async () => {
      await app.user.click(within(row).getByRole('button', { name: '更多操作' }));
      await app.user.click(await screen.findByRole('menuitem', { name: '删除' }));
      return screen.findByRole('dialog', { name: '删除令牌「压测」？' });
    };
    await app.user.click(within(await ask()).getByRole('button', { name: '取消' }));
    expect(app.calls.some((call) => call.method === 'DELETE')).toBe(false);
    await app.user.click(within(await ask()).getByRole('button', { name: '删除' }));
    await waitFor(() =>
      expect(app.calls.filter((call) => call.method === 'DELETE').map((call) => call.path)).toEqual(['/api/token/8']),
    );
  });

  it('tells an empty list from one that a filter emptied', async () => {
    const override = ({ path }: { path: string }) => (path.startsWith('/api/token') ? ok([]) : undefined);
    const app = renderApp('/token', { signedIn: common, override });
    expect(await screen.findByText('还没有令牌')).toBeTruthy();
    await app.user.type(screen.getByRole('searchbox', { name: '名称' }), 'x{Enter}');
    await app.user.click(await screen.findByRole('button', { name: '清除筛选条件' }));
    expect(await screen.findByText('还没有令牌')).toBeTruthy();
    expect(app.router.state.location.href).toBe('/token');
  });

  it('says how long to wait where a search came too often, and tries again only then', async () => {
    renderApp('/token?keyword=x', {
      signedIn: common,
      override: ({ path }) => (path === '/api/token/search' ? refuseFor(3600) : undefined),
    });
    expect((await screen.findByRole('alert')).textContent).toContain('请等待60分钟后再试');
    // The button counts down only a moment after it is shown.
    expect((await screen.findByRole('button', { name: '60分钟后重试' })).getAttribute('aria-disabled')).toBe('true');
  });

  it('shows the fault and tries again', async () => {
    let broken = true;
    const app = renderApp('/token', {
      signedIn: common,
      override: ({ path }) => (path === '/api/token' && broken ? refuse('数据库错误', 500) : undefined),
    });
    expect((await screen.findByRole('alert')).textContent).toContain('request-1');
    broken = false;
    await app.user.click(screen.getByRole('button', { name: '重试' }));
    await rowOf('VS Code');
  });
});

describe('a token', () => {
  it('says its state in the words of the product', () => {
    const texts = [1, 2, 3, 4, 9].map((value) => statusOf(tokenOf({ status: value })).text);
    expect(texts).toEqual(['已启用', '已禁用', '已过期', '已耗尽', '未知状态']);
    expect(statusOf(tokenOf({ model_limits_enabled: true })).text).toBe('已启用：限制模型');
  });

  it('can be enabled again once its expiry or quota was raised', () => {
    expect(whyNotEnabled(tokenOf({ status: 3, expired_time: 100 }), 200)).not.toBe('');
    expect(whyNotEnabled(tokenOf({ status: 3, expired_time: 300 }), 200)).toBe('');
    expect(whyNotEnabled(tokenOf({ status: 4, remain_quota: 0 }), 200)).not.toBe('');
    expect(whyNotEnabled(tokenOf({ status: 4, remain_quota: 1 }), 200)).toBe('');
    expect(whyNotEnabled(tokenOf({ status: 2, expired_time: 100 }), 200)).not.toBe('');
    expect(whyNotEnabled(tokenOf({ status: 2, expired_time: 300 }), 200)).toBe('');
    // Its last second is still its own, as for the relay.
    expect(whyNotEnabled(tokenOf({ status: 2, expired_time: 200 }), 200)).toBe('');
    expect(whyNotEnabled(tokenOf({ status: 2, remain_quota: 0 }), 200)).not.toBe('');
    expect(whyNotEnabled(tokenOf({ status: 2, remain_quota: 0, unlimited_quota: true }), 200)).toBe('');
    // All of it is held by a call.
    expect(whyNotEnabled(tokenOf({ status: 1, remain_quota: 0 }), 200)).toBe('');
  });

  it('comes with a command that survives a quote in a model name', () => {
    const model = exampleModel(tokenOf({ model_limits_enabled: true, model_limits: "it's,b" }));
    const command = sample('openai-chat', 'curl', { address: status.server_address, key: 'sk-1', model });
    expect(command).toContain(`"model":"it'\\''s"`);
    expect(command).toContain('https://gate.example.com/v1/chat/completions');
  });
});

it('a full toaster drops the oldest notices', async () => {
  const { notify } = await import('../../ui/notify.ts');
  for (let index = 0; index < 50; index += 1) notify('info', String(index));
  expect(notices.get()).toHaveLength(20);
  expect(notices.get().at(-1)?.text).toBe('49');
});

describe('beside the list', () => {
  const chats: Record<string, string>[] = [
    { 网页: 'https://chat.example.com/#/?settings={"key":"{key}","url":"{address}"}' },
    { 客户端: 'ama://set?key={key}' },
  ];

  it('fills key and address into a chat link, and opens no script', () => {
    const links = readChats(chats) ?? [];
    expect(chatAddress(links[1]?.template ?? '', 'sk-1', 'https://g.example.com')).toBe('ama://set?key=sk-1');
    expect(chatAddress(links[0]?.template ?? '', 'sk-1', 'https://g.example.com')).toContain(
      '"url":"https%3A%2F%2Fg.example.com"',
    );
    for (const bad of ['https://chat.example.com/?key={key}#/', 'javascript:alert(1)', 'data:text/html,x', 'nonsense'])
      expect(chatAddress(bad, 'k', 'a')).toBeUndefined();
    for (const bad of ['x', [{ a: 'b', c: 'd' }], [{}], [{ a: 1 }]]) expect(readChats(bad)).toBeUndefined();
  });

  it('opens a chat client with the key of its row, and says when there is none', async () => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null);
    const app = renderApp('/token', { signedIn: common, status: { chats } });
    const row = await rowOf('VS Code');
    await app.user.click(await within(row).findByRole('button', { name: '聊天' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '网页' }));
    expect(opened.mock.calls[0]?.[0]).toContain(fullKey(tokens[1] ?? tokenOf({})));
  });

  it('exchanges the key after a question and shows the new one', async () => {
    const old_key = { last_four: 'o1d5', ends_time: 2_000_000_000 };
    const rotated = tokenOf({ id: 11, name: 'VS Code', key: 'N'.repeat(48), old_key });
    const app = renderApp('/token', {
      signedIn: common,
      override: ({ method, path }) => (method === 'POST' && path === '/api/token/11/rotate' ? ok(rotated) : undefined),
    });
    const row = await rowOf('VS Code');
    await app.user.click(within(row).getByRole('button', { name: '更多操作' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '更换密钥' }));
    expect(app.sent('POST', '/api/token/11/rotate')).toEqual([]);
    const question = await screen.findByRole('dialog', { name: '更换令牌「VS Code」的密钥？' });
    await app.user.selectOptions(within(question).getByLabelText('旧密钥还可使用'), '6 小时');
    await app.user.click(within(question).getByRole('button', { name: '更换密钥' }));
    const shown = await screen.findByRole('dialog', { name: '更换密钥' });
    expect(within(shown).getByLabelText<HTMLInputElement>('新密钥').value).toBe(`sk-${'N'.repeat(48)}`);
    expect(within(shown).getByText(/旧密钥在 .* 之前仍可使用/)).toBeTruthy();
    expect(app.calls.find(({ path }) => path === '/api/token/11/rotate')?.query).toEqual({ old_key_seconds: String(6 * 3600) });
  });

  it('shows the old key by its last four while it works, and ends it after a yes', async () => {
    const old_key = { last_four: 'o1d5', ends_time: 2_000_000_000 };
    const both = tokenOf({ id: 11, name: 'VS Code', old_key });
    const app = renderApp('/token', {
      signedIn: common,
      override: ({ method, path }) =>
        path === '/api/token' && method === 'GET'
          ? ok([both])
          : path.endsWith('/old-key')
            ? ok({ ...both, old_key: null })
            : undefined,
    });
    const row = await rowOf('VS Code');
    expect(within(row).getByText(/旧密钥 …o1d5 可用至 2033/)).toBeTruthy();
    await app.user.click(within(row).getByRole('button', { name: '更多操作' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '停用旧密钥' }));
    const question = await screen.findByRole('dialog', { name: '立即停用旧密钥 …o1d5？' });
    expect(app.sent('DELETE', '/api/token/11/old-key')).toEqual([]);
    await app.user.click(within(question).getByRole('button', { name: '停用旧密钥' }));
    await waitFor(() => expect(app.calls.some(({ path }) => path === '/api/token/11/old-key')).toBe(true));
  });

  it('tells how to use a token in three dialects; the key is masked on screen and whole when copied', async () => {
    const app = renderApp('/token/use/11', { signedIn: common });
    const dialog = within(await screen.findByRole('dialog', { name: '如何使用「VS Code」' }));
    const writeText = stubClipboard();
    const key = fullKey(tokens[1] ?? tokenOf({}));
    await dialog.findByText('https://gate.example.com/v1');
    for (const [name, mark] of [
      ['Anthropic', 'x-api-key'],
      ['Gemini', 'x-goog-api-key'],
    ] as const) {
      await app.user.click(dialog.getByRole('button', { name }));
      await app.user.click(dialog.getByRole('button', { name: '复制示例' }));
      expect(writeText.mock.lastCall?.[0]).toContain(`${mark}: ${key}`);
    }
    // What is copied runs as it is: it names a model of the account.
    expect(writeText.mock.lastCall?.[0]).not.toContain('MODEL');
    expect(document.body.textContent).not.toContain(key);
  });

  it('claims no limits of a key that is refused', async () => {
    let refused = false;
    const app = renderApp('/token/use/11', {
      signedIn: common,
      override: ({ path }) => (path !== '/v1/limits' ? undefined : refused ? refuse('令牌已禁用', 401) : ok([])),
    });
    await screen.findByText('仅受额度和余额限制');
    refused = true;
    await app.readAgain();
    await waitFor(() => expect(screen.queryByRole('heading', { name: '剩余限额' })).toBeNull());
  });
});
