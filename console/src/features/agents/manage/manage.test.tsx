import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { agents } from '../../../../test/agents.ts';
import { common, root } from '../../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../../test/mock-api.ts';
import { renderApp, seeNotice } from '../../../../test/render.tsx';

type Override = NonNullable<MockOptions['override']>;
const open = (path: string, override?: Override, signedIn = root) =>
  renderApp(path, { signedIn, status: { agent_enabled: true }, override });
const rowOf = async (text: string): Promise<HTMLElement> => {
  const table = within(await screen.findByRole('table'));
  return (await table.findAllByText(text))[0]?.closest('tr') ?? expect.unreachable();
};

it('remembers for each of its lists how long a page is', async () => {
  localStorage.setItem('table:agent-manage-withdrawals:v1', '{"size":50}');
  const app = open('/agent/manage');
  await rowOf('wangfang');
  await app.user.click(screen.getByRole('link', { name: /^提现审核/ }));
  await waitFor(() => expect(app.calls.some(({ path }) => path === '/api/agent/withdrawals')).toBe(true));
  const sizes = app.calls.filter(({ path }) => /^\/api\/agent(\/withdrawals)?$/.test(path)).map(({ query }) => query.page_size);
  expect(sizes).toEqual(['10', '50']);
});

it('approves an application with a rate of its own', async () => {
  const app = open('/agent/manage');
  await app.user.click(within(await rowOf('wangfang')).getByRole('link', { name: '审核' }));
  const drawer = within(await screen.findByRole('dialog', { name: '审核 wangfang 的申请' }));
  expect(drawer.getByText('13800000000')).toBeTruthy();
  await app.user.type(drawer.getByLabelText('分红比例'), '101');
  await app.user.click(drawer.getByRole('button', { name: '通过' }));
  expect(await drawer.findByText('比例为 0 到 100，最多四位小数')).toBeTruthy();
  await app.user.clear(drawer.getByLabelText('分红比例'));
  await app.user.type(drawer.getByLabelText('分红比例'), '12.5');
  await app.user.click(drawer.getByRole('button', { name: '通过' }));
  await seeNotice('wangfang 已成为代理商');
  expect(app.sent('PUT', '/api/agent/12')).toEqual([{ status: 1, seen_status: 0, commission_rate: 0.125 }]);
});

it('sends of the terms what was edited, also when they were changed elsewhere meanwhile', async () => {
  let rate = 0.1;
  const [agent] = agents;
  const app = open(
    `/agent/manage/edit/${agent?.user_id}`,
    ({ method, path }) =>
      method === 'GET' && path === '/api/agent'
        ? ok({ items: [{ ...agent, status: 1, commission_rate: rate }], page: 1, page_size: 10, total: 1 })
        : undefined,
    root,
  );
  const note = await screen.findByLabelText('给代理商的说明');
  rate = 0.2;
  await app.readAgain();
  await app.user.type(note, '好');
  await app.user.click(screen.getByRole('button', { name: '保存' }));
  await seeNotice('保存成功');
  expect(app.sent('PUT', `/api/agent/${agent?.user_id}`)).toEqual([{ review_note: `${agent?.review_note}好` }]);
});

it('brings the open tab into sight again when the counts made the line longer', async () => {
  const brought = vi.spyOn(Element.prototype, 'scrollIntoView');
  open('/agent/manage?tab=dividends');
  await screen.findByRole('link', { name: '代理商（1 个待审核）' });
  expect(brought.mock.contexts.filter((link) => (link as Element).textContent === '分红记录')).toHaveLength(2);
  brought.mockRestore();
});

it('adds whoever never applied under that name', async () => {
  const app = open('/agent/manage/add');
  const drawer = within(await screen.findByRole('dialog', { name: '添加代理商' }));
  const add = drawer.getByRole('button', { name: '添加代理商' });
  await app.user.type(drawer.getByLabelText(/用户/), 'zhaolei');
  await waitFor(() => expect(app.calls.some(({ path, query }) => path === '/api/agent' && query.keyword === '10')).toBe(true));
  await waitFor(() => expect(add.getAttribute('aria-busy')).toBeNull());
  await app.user.click(add);
  await seeNotice('zhaolei 已成为代理商');
  expect(app.sent('PUT', '/api/agent/10')).toEqual([{ status: 1, commission_rate: null, level: 1, review_note: '' }]);
});

it('adds nobody of whom it is not known whether they are an agent already, and says so', async () => {
  const unknown: Override = ({ method, path, query }) =>
    method === 'GET' && path === '/api/agent' && query.keyword ? refuse('查询失败') : undefined;
  const app = open('/agent/manage/add', unknown);
  const drawer = within(await screen.findByRole('dialog', { name: '添加代理商' }));
  await app.user.type(drawer.getByLabelText(/用户/), 'zhaolei');
  expect(await drawer.findByText('查询失败')).toBeTruthy();
  await app.user.click(drawer.getByRole('button', { name: '添加代理商' }));
  expect(app.calls.filter(({ method }) => method === 'PUT')).toEqual([]);
});

it('asks before terms are lost that were typed before the name', async () => {
  const app = open('/agent/manage/add');
  const drawer = within(await screen.findByRole('dialog', { name: '添加代理商' }));
  await app.user.type(drawer.getByLabelText('给代理商的说明'), '渠道合作');
  await app.user.click(drawer.getByRole('button', { name: '取消' }));
  expect(await screen.findByRole('dialog', { name: '放弃未保存的修改？' })).toBeTruthy();
});

it('rejects with a reason only', async () => {
  const app = open('/agent/manage/edit/12');
  const drawer = within(await screen.findByRole('dialog', { name: '审核 wangfang 的申请' }));
  await app.user.click(drawer.getByRole('button', { name: '驳回' }));
  expect(await drawer.findByText('驳回时请写明原因')).toBeTruthy();
  await app.user.type(drawer.getByLabelText('给代理商的说明'), '资料不完整');
  await app.user.click(drawer.getByRole('button', { name: '驳回' }));
  const sure = await screen.findByRole('dialog', { name: '驳回 wangfang 的申请？' });
  await app.user.click(within(sure).getByRole('button', { name: '驳回' }));
  await seeNotice('已驳回 wangfang 的申请');
  expect(app.sent('PUT', '/api/agent/12')).toEqual([{ status: 2, seen_status: 0, review_note: '资料不完整' }]);
});

it('claims, and pays with a reference', async () => {
  const app = open('/agent/manage?tab=withdrawals');
  await app.user.click(within(await rowOf('待处理')).getByRole('button', { name: '领取' }));
  await seeNotice('已领取，其他管理员暂不能处理');
  expect(app.sent('POST', '/api/agent/withdrawals/9/manage')).toEqual([{ action: 'claim', reference: '', reason: '' }]);
  await app.user.click(within(await rowOf('处理中')).getByRole('button', { name: '打款' }));
  const dialog = within(await screen.findByRole('dialog', { name: '向 zhangwei 打款 ¥297.00' }));
  await app.user.click(dialog.getByRole('button', { name: '确认已打款' }));
  expect(await dialog.findByText('请填写打款凭证号')).toBeTruthy();
  await app.user.type(dialog.getByLabelText(/打款凭证号/), 'T20261121');
  await app.user.click(dialog.getByRole('button', { name: '确认已打款' }));
  await seeNotice('已标记为打款完成');
  expect(app.sent('POST', '/api/agent/withdrawals/8/manage')).toEqual([{ action: 'pay', reference: 'T20261121', reason: '' }]);
});

it('says who deals with what another administrator claimed', async () => {
  open('/agent/manage?tab=withdrawals', undefined, { ...common, role: 10 });
  expect(await screen.findByText('clerk 正在处理')).toBeTruthy();
});

it('tells that somebody was faster', async () => {
  const app = open(
    '/agent/manage?tab=withdrawals',
    ({ path }) => (path.endsWith('/manage') && path.includes('/9/') ? refuse('提现状态已变更，请刷新后重试') : undefined),
    root,
  );
  const read = () => app.calls.filter(({ path }) => path === '/api/agent/withdrawals').length;
  const claim = within(await rowOf('待处理')).getByRole('button', { name: '领取' });
  const before = read();
  await app.user.click(claim);
  await seeNotice('提现状态已变更，请刷新后重试');
  await waitFor(() => expect(read()).toBeGreaterThan(before));
});
