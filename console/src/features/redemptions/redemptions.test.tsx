import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { redemptionBody } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { redemptions } from '../../../test/money.ts';
import { renderApp } from '../../../test/render.tsx';
import * as files from '../../lib/save-file.ts';
import { newDraft, type RedemptionDraft, redemptionSchema, toInput } from './draft.ts';
import { statusOf } from './model.ts';

const dollars = { quotaPerUnit: 500_000, inCurrency: true };
const draft = (fields: Partial<RedemptionDraft>): RedemptionDraft => ({ ...newDraft(dollars), ...fields });
const faults = (fields: Partial<RedemptionDraft>): string[] =>
  redemptionSchema(dollars)
    .safeParse(draft(fields))
    .error?.issues.map((issue) => issue.message) ?? [];

const rowOf = async (name: string): Promise<HTMLElement> => {
  const row = (await screen.findByText(name)).closest('tr');
  if (!row) throw new Error(`no row for ${name}`);
  return row;
};

describe('the rules of the code form', () => {
  it('take 1 to 100 codes, an amount, and a name of at most 20 characters', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ count: '0' })).toEqual(['兑换码个数必须大于0']);
    expect(faults({ count: '101' })).toEqual(['一次兑换码批量生成的个数不能大于 100']);
    expect(faults({ count: '1.5' })).toEqual(['兑换码个数必须大于0']);
    expect(faults({ quota: '0' })).toEqual(['额度必须大于 0']);
    expect(faults({ name: '码'.repeat(20) })).toEqual([]);
    expect(faults({ name: '码'.repeat(21) })).toEqual(['兑换码名称长度必须在1-20之间']);
  });

  it('name a nameless code after its amount', () => {
    const input = toInput(draft({ count: '100' }), dollars);
    expect(input).toEqual({ name: '$0.20', quota: 100_000, count: 100, expired_time: 0, per_user: 0 });
    expect(redemptionBody.safeParse(input).success).toBe(true);
  });
});

describe('the list of codes', () => {
  it('speaks of filters only where they leave nothing, not where the page is one beyond the last', async () => {
    const app = renderApp('/redemption?p=2', { signedIn: root });
    expect(await screen.findByText('这一页没有记录')).toBeTruthy();
    expect(screen.queryByRole('button', { name: '清除筛选条件' })).toBeNull();
    await app.user.click(screen.getByRole('button', { name: '前往第 1 页' }));
    expect(await screen.findAllByRole('row')).toHaveLength(redemptions.length + 1);
    cleanup();
    renderApp('/redemption?keyword=none', { signedIn: root });
    expect(await screen.findByText('没有符合条件的记录')).toBeTruthy();
  });

  it('says the state in the words of the product and keeps codes masked', async () => {
    renderApp('/redemption', { signedIn: root });
    const row = await rowOf('开业活动');
    expect(row.textContent).toContain('未使用');
    expect(row.textContent).not.toContain(redemptions[0]?.key ?? 'x');
    const texts = ['未使用', '已禁用', '已使用', '已过期', '未知状态'];
    expect([1, 2, 3, 4, 9].map((status) => statusOf(status).text)).toEqual(texts);
  });

  it('searches on the server, from the first page', async () => {
    const app = renderApp('/redemption?p=2', { signedIn: root });
    await app.user.type(await screen.findByRole('searchbox', { name: 'ID、名称或兑换码' }), '开业{Enter}');
    await rowOf('开业活动');
    expect(app.calls.filter(({ path }) => path === '/api/redemption/search').map(({ query }) => query)).toEqual([
      { keyword: '开业', p: '0', page_size: '100', peek: 'true' },
    ]);
  });

  it('reaches every match of a search, by the hundred', async () => {
    const many = Array.from({ length: 130 }, (_, at) => ({ ...redemptions[0], id: 5000 + at, name: `code ${at}` }));
    const app = renderApp('/redemption?keyword=code&status=3&size=20&p=5', {
      signedIn: root,
      override: ({ path, query: { p = 0, page_size: size = 10 } }) =>
        path === '/api/redemption/search'
          ? ok(many.slice(Number(p) * Number(size), (Number(p) + 1) * Number(size) + 1))
          : undefined,
    });
    await rowOf('code 99');
    expect(screen.getByText('共 100+ 条')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await rowOf('code 119');
    expect(screen.getByText('共 130 条')).toBeTruthy();
    expect(app.calls.filter(({ path }) => path === '/api/redemption/search').at(-1)?.query).toMatchObject({
      p: '1',
      status: '3',
    });
  });

  it('is narrowed by status, which stands in the address, and cleared again', async () => {
    const app = renderApp('/redemption?p=2', { signedIn: root });
    await app.user.selectOptions(await screen.findByRole('combobox', { name: '全部状态' }), '已使用');
    await rowOf('老用户回馈');
    expect(app.router.state.location.href).toBe('/redemption?status=3');
    await app.user.click(screen.getByRole('button', { name: '取消筛选' }));
    await rowOf('开业活动');
    expect(app.router.state.location.href).toBe('/redemption');
  });

  it('says when a code ends, and that it has ended', async () => {
    const ends = Math.floor(Date.now() / 1000) - 1;
    renderApp('/redemption', {
      signedIn: root,
      override: ({ path }) =>
        path === '/api/redemption'
          ? ok([
              { ...redemptions[0], name: '晚了', expired_time: ends },
              { ...redemptions[0], id: 9, name: '还早', expired_time: ends + 3600 },
              { ...redemptions[2], id: 8, name: '用过', expired_time: ends },
            ])
          : undefined,
    });
    expect((await rowOf('晚了')).textContent).toContain('已过期');
    expect((await rowOf('还早')).textContent).toContain('未使用');
    expect((await rowOf('用过')).textContent).toContain('已使用');
  });

  it('sums campaigns up, of the names that the list is narrowed to, and leads to their codes', async () => {
    const app = renderApp('/redemption?keyword=开', { signedIn: root });
    await app.user.click(await screen.findByRole('button', { name: '活动汇总' }));
    const dialog = within(await screen.findByRole('dialog', { name: '活动汇总' }));
    const row = (await dialog.findByRole('link', { name: '老用户回馈' })).closest('tr');
    expect(
      within(row as HTMLElement)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual([...['老用户回馈', '100', '64', '64', '0', '0', '36', '$3,120.00']]);
    expect(app.calls.find(({ path }) => path === '/api/redemption/campaigns')?.query).toMatchObject({ keyword: '开' });
    await app.user.click(dialog.getByRole('link', { name: '老用户回馈' }));
    await waitFor(() => expect(app.router.state.location.search).toEqual({ keyword: '老用户回馈' }));
    expect(app.router.state.location.pathname).toBe('/redemption');
  });

  it('says of codes that belong to no campaign so called that none matches, and shows all campaigns then', async () => {
    const app = renderApp('/redemption/campaigns?keyword=7', {
      signedIn: root,
      override: ({ path, query }) => (path === '/api/redemption/campaigns' && query.keyword === '7' ? ok([]) : undefined),
    });
    const dialog = within(await screen.findByRole('dialog', { name: '活动汇总' }));
    await app.user.click(await dialog.findByRole('button', { name: '清除筛选条件' }));
    expect(await dialog.findByRole('link', { name: '老用户回馈' })).toBeTruthy();
  });

  it('lets nobody edit a code that is switched off, which may be switched on again', async () => {
    const app = renderApp('/redemption', {
      signedIn: root,
      override: ({ path }) => (path === '/api/redemption' ? ok([{ ...redemptions[1], name: '停用的' }]) : undefined),
    });
    const row = await rowOf('停用的');
    expect(within(row).getByRole('button', { name: '启用' }).hasAttribute('disabled')).toBe(false);
    await app.user.click(within(row).getByRole('button', { name: '编辑' }));
    expect(await screen.findAllByText('只能编辑未使用的兑换码')).not.toHaveLength(0);
    await app.router.navigate({ to: '/redemption/edit/$id', params: { id: '2' } });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑兑换码：$10.00' }));
    expect(await drawer.findByText('只能编辑未使用的兑换码')).toBeTruthy();
    expect(drawer.queryByLabelText('名称')).toBeNull();
  });

  it('lets nobody edit or switch a used code', async () => {
    const app = renderApp('/redemption', { signedIn: root });
    const row = await rowOf('老用户回馈');
    await app.user.click(within(row).getByRole('button', { name: '编辑' }));
    expect(await screen.findAllByText('只能编辑未使用的兑换码')).not.toHaveLength(0);
    expect(within(row).getByRole('button', { name: '启用' }).hasAttribute('disabled')).toBe(true);
    await app.router.navigate({ to: '/redemption/edit/$id', params: { id: '1' } });
    const drawer = await screen.findByRole('dialog', { name: '编辑兑换码：老用户回馈' });
    expect(within(drawer).queryByLabelText('名称')).toBeNull();
  });

  it('withdraws those of the selected codes that nobody used, after a question', async () => {
    const app = renderApp('/redemption', {
      signedIn: root,
      override: ({ path }) => (path === '/api/redemption/batch/disabled' ? ok(1) : undefined),
    });
    await rowOf('开业活动');
    await app.user.click(screen.getAllByRole('checkbox')[0] as HTMLElement);
    const bar = within(await screen.findByRole('region', { name: '批量操作' }));
    await app.user.click(bar.getByRole('button', { name: '禁用' }));
    const question = await screen.findByRole('dialog', { name: '禁用所选的 1 个？' });
    await app.user.click(within(question).getByRole('button', { name: '禁用' }));
    await waitFor(() => expect(app.sent('POST', '/api/redemption/batch/disabled')).toEqual([{ ids: [3] }]));
  });

  it('switches, and deletes after a question', async () => {
    const app = renderApp('/redemption', { signedIn: root });
    const row = await rowOf('开业活动');
    await app.user.click(within(row).getByRole('button', { name: '禁用' }));
    await waitFor(() => expect(app.sent('PUT', '/api/redemption')).toEqual([{ id: 3, status: 2 }]));
    await app.user.click(within(row).getByRole('button', { name: '删除' }));
    const question = await screen.findByRole('dialog', { name: '删除兑换码「开业活动」？' });
    expect(app.calls.some(({ method }) => method === 'DELETE')).toBe(false);
    await app.user.click(within(question).getByRole('button', { name: '删除' }));
    await waitFor(() =>
      expect(app.calls.some(({ method, path }) => method === 'DELETE' && path === '/api/redemption/3')).toBe(true),
    );
  });
});

describe('the code editor', () => {
  it('creates codes once, however fast the button is pressed again', async () => {
    const app = renderApp('/redemption/add', {
      signedIn: root,
      override: ({ method, path }) => (method === 'POST' && path === '/api/redemption' ? ok(['a'.repeat(32)]) : undefined),
    });
    const drawer = within(await screen.findByRole('dialog', { name: '添加兑换码' }));
    const button = drawer.getByRole('button', { name: '生成兑换码' });
    fireEvent.click(button);
    fireEvent.click(button);
    expect(await screen.findByText('a'.repeat(32))).toBeTruthy();
    expect(app.sent('POST', '/api/redemption')).toHaveLength(1);
  });

  it('shows the new codes with a download, one per line', async () => {
    const saved = vi.spyOn(files, 'saveTextFile').mockReturnValue(undefined);
    const codes = ['a'.repeat(32), 'b'.repeat(32)];
    const app = renderApp('/redemption/add', {
      signedIn: root,
      override: ({ method, path }) => (method === 'POST' && path === '/api/redemption' ? ok(codes) : undefined),
    });
    const drawer = within(await screen.findByRole('dialog', { name: '添加兑换码' }));
    await app.user.type(drawer.getByLabelText('名称'), '活动');
    await app.user.click(drawer.getByRole('button', { name: '100' }));
    await app.user.click(drawer.getByRole('button', { name: '生成兑换码' }));
    const dialog = within(await screen.findByRole('dialog', { name: '兑换码创建成功！' }));
    expect(app.sent('POST', '/api/redemption')).toEqual([
      { name: '活动', quota: 100_000, count: 100, expired_time: 0, per_user: 0 },
    ]);
    await app.user.click(dialog.getByRole('button', { name: '下载文本文件' }));
    expect(saved).toHaveBeenCalledWith('活动.txt', `${codes.join('\n')}\n`);
    await app.user.click(dialog.getByRole('button', { name: '关闭' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/redemption'));
  });

  it('sends an end and how many one may redeem, keeps them when a code is edited, and refuses what is neither', async () => {
    expect(faults({ perUser: '1000000' })).toEqual([]);
    expect(faults({ perUser: '1000001' })).toEqual(['请输入整数']);
    expect(faults({ expires: 'soon', perUser: 'x' })).toEqual(['过期时间格式错误！', '请输入整数']);
    const expires = '2030-01-02 03:04:05';
    const ends = new Date(2030, 0, 2, 3, 4, 5).getTime() / 1000;
    const app = renderApp('/redemption/edit/3', {
      signedIn: root,
      override: ({ method, path }) =>
        path === '/api/redemption/3' || (method === 'PUT' && path === '/api/redemption')
          ? ok({ ...redemptions[0], expired_time: ends, per_user: 2 })
          : undefined,
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑兑换码：开业活动' }));
    expect(drawer.getByLabelText<HTMLInputElement>('过期时间').value).toBe(expires);
    await app.user.clear(drawer.getByLabelText('同名码每人限兑'));
    await app.user.type(drawer.getByLabelText('同名码每人限兑'), '1');
    await app.user.click(drawer.getByLabelText('过期时间和限兑用于全部未使用的同名码'));
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() =>
      expect(app.sent('PUT', '/api/redemption')).toEqual([
        { id: 3, name: '开业活动', quota: 5_000_000, expired_time: ends, per_user: 1, whole_campaign: true },
      ]),
    );
  });

  it("keeps what was typed when the server refuses, with the server's words", async () => {
    const app = renderApp('/redemption/edit/3', {
      signedIn: root,
      override: ({ method, path }) => (method === 'PUT' && path === '/api/redemption' ? refuse('该兑换码已被使用') : undefined),
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑兑换码：开业活动' }));
    await app.user.type(drawer.getByLabelText('名称'), '2');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    expect(await drawer.findByText('该兑换码已被使用')).toBeTruthy();
    expect(drawer.getByLabelText<HTMLInputElement>('名称').value).toBe('开业活动2');
  });
});
