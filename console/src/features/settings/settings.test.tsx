import { screen, waitFor, within } from '@testing-library/react';
import { type OptionRow, type OptionVersion, optionGroups } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import en from '../../../messages/en.json' with { type: 'json' };
import zh from '../../../messages/zh.json' with { type: 'json' };
import { now, root } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { allGroups, choiceLabel, groupLabel, shownGroups } from './entries.ts';
import { findEntries, hintOf } from './find.ts';
import { changesOf, chatsIn, faultOf, inOrder, type Rows, sentText } from './model.ts';

const special: Record<string, Partial<OptionRow>> = {
  RetryTimes: { value: '2', min: 0, max: 100, whole: true },
  MinTopUp: { value: '1', min: 1, max: 1000, whole: true },
  EpayKey: { value: '', is_set: true, default: undefined },
  TopupGroupRatio: { value: '{"default":1}' },
  PayMethods: { value: '[]' },
  Chats: { value: '[{"A":"https://a.example"}]' },
  GitHubOAuthEnabled: { value: 'false' },
  InviteHold: { value: 'none', choices: ['none', 'first_payment', 'days'] },
};
const plainValue = (control: string): string => (control === 'switch' ? 'true' : control === 'json' ? '{}' : '');
const rows: OptionRow[] = allGroups.flatMap(({ entries }) =>
  entries.map(({ key, control }) => ({ key, value: plainValue(control), default: plainValue(control), ...special[key] })),
);
const version: OptionVersion = {
  ...{ id: 7, author_id: 1, author: 'root', created_at: now, note: '', changed: 2, restores: ['RetryTimes'] },
  diff: [
    { option: 'RetryTimes', name: '', from: '2', to: '5' },
    { option: 'EpayKey', name: '', from: '', to: '', secret: true },
  ],
};
const answers: Record<string, unknown> = {
  'GET /api/option': rows,
  'GET /api/option/history': { items: [version], page: 1, page_size: 20, total: 1 },
  'GET /api/log/cleanup': {
    running: false,
    target_timestamp: 0,
    deleted: 0,
    total: 0,
    started_at: 0,
    finished_at: 0,
    failed: false,
  },
  'GET /api/price/unpriced': [],
};
const override: MockOptions['override'] = ({ method, path }) => {
  const value = answers[`${method} ${path}`];
  return value === undefined ? undefined : ok(value);
};
const open = (tab: string, more: MockOptions['override'] = () => undefined) =>
  renderApp(`/setting?tab=${tab}`, { signedIn: root, override: (request) => more(request) ?? override(request) });
const entryOf = (key: string) => {
  const found = allGroups.flatMap(({ entries }) => entries).find((entry) => entry.key === key);
  if (!found) throw new Error(key);
  return found;
};
const table: Rows = new Map(rows.map((row) => [row.key, row]));

it('says of the notice no less than it does: it opens on the pages of the console too', () => {
  expect(hintOf('Notice')).toBe('支持 Markdown 与 HTML；内容改变后弹出');
});

describe('the table of options', () => {
  it('has words in both languages for every option, group and area', () => {
    for (const [name, { affects, options }] of Object.entries(optionGroups)) {
      const words = Object.keys(options).map((key) => `opt_${key.toLowerCase().replaceAll(/[.-]/g, '_')}`);
      const group = name === 'legacy' ? [] : [`optgroup_${name}`];
      for (const key of [...words, ...group, `optarea_${affects.replace('-', '_')}`]) {
        expect([key, key in zh, key in en]).toEqual([key, true, true]);
      }
    }
    expect(groupLabel('smtp')).toBe('邮件服务器');
    expect([choiceLabel('InviteHold', 'days'), choiceLabel('StripeCurrency', 'eur')]).toEqual(['等待若干天', 'EUR']);
  });

  it('is searched by name, hint and key', () => {
    expect(findEntries('SMTPPort').map(({ key }) => key)[0]).toBe('SMTPPort');
    expect(findEntries('屏蔽词').map(({ key }) => key)).toContain('SensitiveWords');
    expect(findEntries('FileUploadPermission')).toEqual([]);
    expect(findEntries('  ')).toEqual([]);
  });

  it('leaves out what only sellers need in self-use mode, in the groups and in the search', () => {
    const names = (isSelfUse: boolean) => shownGroups(isSelfUse).map(({ name }) => name);
    const left = names(true);
    expect(names(false).filter((name) => !left.includes(name))).toEqual(['invites', 'agents', 'payment', 'stripe']);
    expect(findEntries('EpayId', true).map(({ key }) => key)).not.toContain('EpayId');
  });
});

describe('what a save sends', () => {
  const entries = ['ServerAddress', 'RetryTimes', 'TopupGroupRatio', 'EpayKey', 'DrawingEnabled'].map(entryOf);

  it('is only what differs, in the form that is stored', () => {
    const draft = { ServerAddress: ' https://a.example/// ', RetryTimes: '2', TopupGroupRatio: '{ "default": 1 }' };
    expect(changesOf(entries, table, draft)).toEqual([{ key: 'ServerAddress', value: 'https://a.example' }]);
    expect(changesOf(entries, table, { RetryTimes: '02' })).toEqual([]);
    expect(changesOf(entries, table, { EpayKey: '' })).toEqual([{ key: 'EpayKey', value: '' }]);
    expect(sentText(entryOf('EmailDomainWhitelist'), 'a.example,\n b.example')).toBe('a.example,b.example');
  });

  it('turns on last what needs the rest', () => {
    const on = { key: 'GitHubOAuthEnabled', value: 'true' };
    expect(inOrder([on, { key: 'GitHubClientId', value: 'x' }]).at(-1)).toBe(on);
  });

  it('saves a secret after the address, whose move drops the secret that is there', () => {
    for (const { entries } of allGroups) {
      const sent = inOrder(entries.map(({ key, control }) => ({ key, value: control === 'switch' ? 'true' : 'x' })));
      const order = sent.map(({ key }) => ['secret', 'switch'].indexOf(entryOf(key).control));
      expect(order.join()).toBe(order.toSorted((left, right) => left - right).join());
    }
  });

  it('is judged as far as the page can', () => {
    const fault = (key: string, text: string) => faultOf(entryOf(key), table.get(key) as OptionRow, text);
    expect(fault('MinTopUp', '0')).toBe('不能小于 1');
    expect(fault('RetryTimes', '101')).toBe('不能大于 100');
    expect(fault('RetryTimes', '1.5')).toBe('请输入整数');
    expect(fault('RetryTimes', 'x')).toBe('请输入数字');
    expect(fault('TopupGroupRatio', '{"a":\n1,}')).toBe('不是合法的 JSON 字符串：第 2 行第 3 列');
    expect(fault('Chats', '[{"a":""}]')).toBe('每个聊天都需要名称和链接，名称不能重复');
    expect(fault('ServerAddress', 'a.example')).toBe('请输入以 http:// 或 https:// 开头的地址');
    expect(fault('RetryTimes', '3')).toBeUndefined();
    expect(chatsIn('{"a":1}')).toBeUndefined();
  });
});

describe('the settings page', () => {
  it('sends one call per changed option, and says when nothing changed', async () => {
    const { user, sent } = open('operation');
    const field = await screen.findByLabelText('失败重试次数');
    const save = screen.getByRole('button', { name: '保存渠道与重试' });
    await user.click(save);
    await screen.findByText('你似乎并没有修改什么');
    await user.clear(field);
    await user.type(field, '5');
    await user.click(screen.getByRole('switch', { name: '同一会话固定渠道' }));
    await user.click(save);
    await screen.findByText('保存成功');
    expect(sent('PUT', '/api/option')).toEqual([
      { key: 'RetryTimes', value: '5' },
      { key: 'ChannelAffinityEnabled', value: 'false' },
    ]);
  });

  it('says which of several options the server refused', async () => {
    const { user, sent } = open('system', ({ method, body }) =>
      method === 'PUT' && (body as { key: string }).key === 'GitHubOAuthEnabled' ? refuse('请先填入') : undefined,
    );
    await user.type(await screen.findByLabelText('GitHub Client ID'), 'client');
    const group = screen.getByRole('region', { name: 'GitHub 登录' });
    await user.click(within(group).getByRole('switch'));
    expect(screen.getByText('2 项已修改，尚未保存')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: '保存GitHub 登录' }));
    await screen.findAllByText('部分保存失败，请重试');
    await within(group).findAllByText('请先填入');
    expect(sent('PUT', '/api/option').map((body) => (body as { key: string }).key)).toEqual([
      'GitHubClientId',
      'GitHubOAuthEnabled',
    ]);
  });

  it('asks for the server address before payments, and before password sign-in is turned off', async () => {
    const { user, sent } = open('system');
    await user.type(await screen.findByLabelText('支付地址'), 'https://pay.example');
    await user.click(screen.getByRole('button', { name: '保存在线支付' }));
    await screen.findByText('请先填写服务器地址');
    await user.click(screen.getByRole('switch', { name: '允许密码登录' }));
    const dialog = await screen.findByRole('dialog');
    await user.click(within(dialog).getByRole('button', { name: '取消' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.getByRole('switch', { name: '允许密码登录' }).getAttribute('aria-checked')).toBe('true');
    expect(sent('PUT', '/api/option')).toEqual([]);
  });

  it('asks for the server address before cards are taken, which come back to it as well', async () => {
    const { user, sent } = open('system');
    await user.type(await screen.findByLabelText('Stripe API 密钥'), 'sk_test_1');
    await user.click(screen.getByRole('button', { name: '保存Stripe 支付' }));
    await screen.findByText('请先填写服务器地址');
    expect(sent('PUT', '/api/option')).toEqual([]);
  });

  it('keeps a secret that is not touched, and clears it on request only', async () => {
    const { user, sent } = open('system');
    const field = await screen.findByLabelText('易支付商户密钥');
    expect(field.getAttribute('placeholder')).toBe('已设置，留空则不修改');
    await user.type(screen.getByLabelText('服务器地址'), 'https://a.example');
    const group = screen.getByRole('region', { name: '在线支付' });
    await user.click(within(group).getByRole('button', { name: '清除' }));
    await user.click(screen.getByRole('button', { name: '保存全部' }));
    await screen.findByText('保存成功');
    expect(sent('PUT', '/api/option')).toContainEqual({ key: 'EpayKey', value: '' });
  });

  it('says which secret was dropped because its address moved, and goes to its field', async () => {
    const moved = rows.map((row) => (row.key === 'EpayKey' ? { ...row, is_set: false } : row));
    let now = rows;
    const { user } = open('system', ({ method, path }) => {
      if (method === 'PUT') now = moved;
      return path === '/api/option' ? ok(method === 'PUT' ? null : now) : undefined;
    });
    await user.type(await screen.findByLabelText('服务器地址'), 'https://a.example');
    await user.type(screen.getByLabelText('易支付商户 ID'), '1002');
    await user.click(screen.getByRole('button', { name: '保存全部' }));
    await screen.findByText('地址已更改，请重新填写此密钥');
    expect(document.activeElement).toBe(screen.getByLabelText('易支付商户密钥'));
  });

  it('takes the rows of the chats back with their text', async () => {
    const { user, sent } = open('operation');
    const name = await screen.findByLabelText('第 1 个聊天的名称');
    await user.type(name, '!');
    await user.click(screen.getByRole('button', { name: '添加聊天' }));
    await user.click(screen.getByRole('button', { name: '撤销' }));
    expect(screen.getByLabelText('第 1 个聊天的名称')).toMatchObject({ value: 'A' });
    expect(screen.queryByLabelText('第 2 个聊天的名称')).toBeNull();
    await user.type(screen.getByLabelText('第 1 个聊天的链接'), '/x');
    await user.click(screen.getByRole('button', { name: '保存聊天' }));
    await screen.findByText('保存成功');
    expect(sent('PUT', '/api/option')).toEqual([{ key: 'Chats', value: '[{"A":"https://a.example/x"}]' }]);
  });

  it('keeps what is typed while the save is under way', async () => {
    const saving = Promise.withResolvers<void>();
    const { user, sent } = open('operation');
    const stub = globalThis.fetch;
    vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
      if (init.method === 'PUT') await saving.promise;
      return stub(url, init);
    });
    const field = await screen.findByLabelText('失败重试次数');
    await user.clear(field);
    await user.type(field, '5');
    await user.click(screen.getByRole('button', { name: '保存渠道与重试' }));
    await user.type(field, '0');
    saving.resolve();
    await screen.findByText('保存成功');
    expect(field).toMatchObject({ value: '50' });
    await user.click(screen.getByRole('button', { name: '保存渠道与重试' }));
    await waitFor(() => expect(sent('PUT', '/api/option').at(-1)).toEqual({ key: 'RetryTimes', value: '50' }));
  });

  it('keeps what is typed when the session has ended and it is not to be lost', async () => {
    const { user } = open('operation', ({ method }) => (method === 'PUT' ? refuse('未登录', 401) : undefined));
    const field = await screen.findByLabelText('失败重试次数');
    await user.clear(field);
    await user.type(field, '5');
    await user.click(screen.getByRole('button', { name: '保存渠道与重试' }));
    const question = within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' }));
    await user.click(question.getByRole('button', { name: '取消' }));
    expect(await screen.findByLabelText('失败重试次数')).toBe(field);
    expect(field).toMatchObject({ value: '5' });
  });

  it('starts the history anew with pages of another length', async () => {
    const { user, calls } = open('history', ({ path, query }) => {
      if (path !== '/api/option/history') return undefined;
      const found = Number(query.p) * Number(query.page_size) <= 60;
      return ok({ items: found ? [version] : [], page: 1, page_size: 20, total: 60 });
    });
    await user.click(await screen.findByRole('button', { name: '下一页' }));
    await user.selectOptions(screen.getByRole('combobox', { name: '每页条数' }), '100');
    const asked = () => calls.filter(({ path }) => path === '/api/option/history').map(({ query }) => query);
    await waitFor(() => expect(asked().at(-1)).toEqual({ p: '1', page_size: '100' }));
  });

  it('offers every change again where an option was never changed', async () => {
    const { user } = open('history', ({ path, query }) =>
      path === '/api/option/history' && query.key === 'RetryTimes'
        ? ok({ items: [], page: 1, page_size: 20, total: 0 })
        : undefined,
    );
    await screen.findByRole('button', { name: '撤销此修改' });
    await user.selectOptions(screen.getByLabelText('按选项筛选'), 'RetryTimes');
    await user.click(await screen.findByRole('button', { name: '清除筛选条件' }));
    expect(await screen.findByRole('button', { name: '撤销此修改' })).toBeTruthy();
    expect(screen.getByLabelText('按选项筛选')).toMatchObject({ value: '' });
  });

  it('takes a change back from the history after a question', async () => {
    const { user, sent } = open('history');
    await user.click(await screen.findByRole('button', { name: '撤销此修改' }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('失败重试次数');
    await user.click(within(dialog).getByRole('button', { name: '撤销此修改' }));
    await screen.findByText('已撤销第 7 次修改');
    expect(sent('POST', '/api/option/rollback')).toEqual([{ id: 7 }]);
  });

  it('reads the history again where a change could not be taken back: somebody may have done it', async () => {
    const { user, calls } = open('history', ({ path }) =>
      path === '/api/option/rollback' ? refuse('该修改已被撤销', 409) : undefined,
    );
    await user.click(await screen.findByRole('button', { name: '撤销此修改' }));
    const read = () => calls.filter(({ path }) => path === '/api/option/history').length;
    const before = read();
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: '撤销此修改' }));
    await waitFor(() => expect(read()).toBeGreaterThan(before));
  });

  it('deletes no logs without a time, and says so with the button still beside the field', async () => {
    const { user, sent } = open('operation');
    const button = await screen.findByRole('button', { name: '清理日志' });
    await user.click(button);
    expect(await screen.findByText('请选择日志时间')).toBeTruthy();
    expect(button.className).toContain('mb-5');
    expect(sent('DELETE', '/api/log')).toEqual([]);
    await user.type(screen.getByLabelText('清理此时间之前的日志'), '2');
    expect(screen.queryByText('请选择日志时间')).toBeNull();
    expect(button.className).not.toContain('mb-5');
  });

  it('says of a deletion that broke off how far it came', async () => {
    const removal = { target_timestamp: 1, deleted: 1200, total: 3000, started_at: now, finished_at: 0 };
    let running = true;
    open('operation', ({ path }) => (path === '/api/log/cleanup' ? ok({ ...removal, running, failed: !running }) : undefined));
    await screen.findByRole('progressbar', { name: '清理日志' });
    running = false;
    expect(await screen.findAllByText('日志清理失败：已清理 1,200 条日志')).not.toHaveLength(0);
  });
});
