import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import {
  type NotifyWay,
  type SettingInput,
  type Subscriptions,
  settingBody,
  type User,
  type UserSetting,
} from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { common, root, status, userOf } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { announcements } from '../../../test/notifications.ts';
import { renderApp } from '../../../test/render.tsx';
import { moneyFormatOf } from '../../api/status.ts';
// What pages load when they need it is here from the start: loading takes as long as the machine is busy.
import '../account/PersonalTab.tsx';
import '../announcements/AnnouncementsPage.tsx';
import './DeliveriesCard.tsx';
import './NotifyCard.tsx';
import { choicesOf, eventsFor, faultsOf, followedChoices, inputOf, settingOf, subscriptionsOf, textsOf } from './model.ts';

const format = moneyFormatOf(status);
const region = (name: string) => within(screen.getByRole('region', { name }));

async function open(self: Partial<User> | (() => Partial<User>), more: MockOptions['override'] = () => undefined) {
  const own = typeof self === 'function' ? self : () => self;
  const app = renderApp('/setting?tab=personal', {
    signedIn: common,
    override: (request) =>
      request.path === '/api/user/self' && request.method === 'GET' ? ok({ ...userOf(common), ...own() }) : more(request),
  });
  await screen.findByRole('region', { name: '通知设置' }, { timeout: 10_000 });
  const sent = (method: string, path: string) =>
    app.calls.filter((call) => call.method === method && call.path === path).map(({ body }) => body);
  return { ...app, sent };
}

describe('the settings', () => {
  it('need a webhook address only where one is wanted, a threshold always, and both times of quiet hours', () => {
    const texts = { ...textsOf({}, format), threshold: '0', email: 'x', quietUntil: '' };
    const [none, wanted] = [{}, { quota_warning: ['webhook'] } as const];
    const of = (more: object, subscriptions: Subscriptions = none, isQuiet = false) =>
      faultsOf({ ...texts, ...more }, { subscriptions, isQuiet }, format);
    expect(of({})).toEqual({ threshold: '预警阈值必须大于0', email: '无效的邮箱地址' });
    expect(of({ threshold: '1' }, wanted).url).toBe('Webhook地址不能为空');
    expect(of({ threshold: '1', url: 'ftp://x' }).url).toBe('无效的Webhook地址');
    expect(of({}, none, true)).toMatchObject({ quietFrom: undefined, quietUntil: '请输入时间' });
    expect(settingOf({ setting: 'not json' })).toEqual({});
  });

  it('show below how much is warned already where nothing was chosen', async () => {
    expect(textsOf({ quota_warning_threshold: 250_000 }, format, 1000).threshold).toBe('0.5');
    expect(textsOf({}, format, 0).threshold).toBe('1');
    await open({});
    expect(region('通知设置').getByLabelText(/额度预警阈值/)).toMatchObject({ value: '0.002' });
  });

  it('offer alerts to root alone, and count what is usual until somebody chose', () => {
    expect(eventsFor(common)).toEqual(['quota_warning', 'token_key', 'price_change', 'announcement', 'promotion', 'contact']);
    expect(eventsFor(root)).toContain('ledger_red');
    expect(subscriptionsOf({ subscriptions: { announcement: ['wecom'] } }, ['quota_warning', 'announcement'])).toEqual({
      quota_warning: ['email'],
      announcement: ['wecom'],
    });
  });

  const sent = (setting: UserSetting, texts = {}, choices = {}, removed: NotifyWay[] = []) =>
    inputOf({ ...textsOf(setting, format), ...texts }, { ...choicesOf(setting, []), ...choices }, new Set(removed), format);

  it('turn quiet hours into minutes and back', () => {
    const quiet = { start: 1290, end: 425, timezone: 'Asia/Shanghai' };
    expect(textsOf({ quiet_hours: quiet }, format)).toMatchObject({ quietFrom: '21:30', quietUntil: '07:05' });
    expect(sent({ quiet_hours: quiet }).quiet_hours).toEqual(quiet);
    expect(sent({ quiet_hours: quiet }, {}, { isQuiet: false }).quiet_hours).toBeNull();
  });

  it('send the key that was typed after the stored one was removed, and null where none was', () => {
    const keys = ({ wecom_key, dingtalk_key, dingtalk_secret }: SettingInput) => [wecom_key, dingtalk_key, dingtalk_secret];
    expect(keys(sent({}))).toEqual(['', '', '']);
    expect(keys(sent({}, {}, {}, ['wecom', 'dingtalk']))).toEqual([null, null, null]);
    const typed = { wecom: ' w ', dingtalk: 'd', dingtalkSecret: 's' };
    expect(keys(sent({}, typed, {}, ['wecom', 'dingtalk']))).toEqual(['w', 'd', 's']);
    expect(keys(sent({}, { ...typed, dingtalkSecret: '' }, {}, ['dingtalk']))).toEqual(['w', 'd', null]);
  });

  it('are as another window saved them where nobody edited them here', () => {
    const events = ['quota_warning', 'announcement', 'promotion'] as const;
    const of = (setting: UserSetting) => choicesOf(setting, events);
    const before = of({ subscriptions: { quota_warning: ['email'] } });
    const draft = { ...before, unpriced: true, subscriptions: { ...before.subscriptions, promotion: ['email'] as const } };
    const elsewhere = of({
      ...{ subscriptions: { quota_warning: ['webhook'], promotion: ['wecom'] } },
      quiet_hours: { start: 0, end: 60, timezone: 'Asia/Shanghai' },
    });
    expect(followedChoices(draft, before, elsewhere)).toEqual({
      subscriptions: { quota_warning: ['webhook'], announcement: [], promotion: ['email'] },
      ...{ isQuiet: true, timezone: 'Asia/Shanghai', unpriced: true },
    });
  });

  it('are sent whole, a stored secret that is not typed anew stays, a removed key goes', async () => {
    const setting = {
      ...{ quota_warning_threshold: 500_000, webhook_url: 'https://hook.example.org/a', webhook_secret_set: true },
      ...{ wecom_key_set: true, subscriptions: { quota_warning: ['webhook'] } },
    };
    const app = await open({ setting: JSON.stringify(setting) });
    const card = region('通知设置');
    expect(card.getByRole('table', { name: '订阅事件与方式' })).toBeTruthy();
    await app.user.click(card.getByRole('checkbox', { name: '模型调价通知：钉钉' }));
    await app.user.click(card.getByRole('button', { name: '移除' }));
    await app.user.click(card.getByRole('switch', { name: '免打扰时段' }));
    await app.user.click(card.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/user/setting')).toHaveLength(1));
    const [body] = app.sent('PUT', '/api/user/setting');
    expect(settingBody.safeParse(body).success).toBe(true);
    expect(body).toMatchObject({
      subscriptions: { quota_warning: ['webhook'], price_change: ['dingtalk'], announcement: [] },
      ...{ quota_warning_threshold: 500_000, webhook_url: 'https://hook.example.org/a', webhook_secret: '' },
      ...{ wecom_key: null, dingtalk_key: '', quiet_hours: { start: 1320, end: 480 } },
    });
  });
});

describe('the form', () => {
  const stored = { quota_warning_threshold: 500_000, wecom_key_set: true, wxpusher_bound: false };

  it('keeps what was edited when a binding changes, and is empty of secrets after its own save', async () => {
    const setting = { ...stored };
    const app = await open(() => ({ setting: JSON.stringify(setting) }));
    const card = region('通知设置');
    await app.user.click(card.getByRole('checkbox', { name: '模型调价通知：钉钉' }));
    await app.user.type(card.getByLabelText('通知邮箱'), 'ann@example.org');
    await app.user.click(card.getByRole('button', { name: '移除' }));
    await app.user.type(card.getByLabelText('企业微信机器人 Key'), 'new-key');
    Object.assign(setting, { wxpusher_bound: true, webhook_url: 'https://hook.example.org/a' });
    await app.readAgain();
    expect(await card.findByText('您已绑定 WxPusher')).toBeTruthy();
    expect(card.getByLabelText('Webhook 地址')).toMatchObject({ value: 'https://hook.example.org/a' });
    expect(card.getByLabelText('通知邮箱')).toMatchObject({ value: 'ann@example.org' });
    await app.user.click(card.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(card.getByLabelText('企业微信机器人 Key')).toMatchObject({ value: '' }));
    expect(card.getByRole('button', { name: '移除' })).toBeTruthy();
    await app.user.click(card.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/user/setting')).toHaveLength(2));
    const both = { notification_email: 'ann@example.org', webhook_url: 'https://hook.example.org/a' };
    expect(app.sent('PUT', '/api/user/setting')).toMatchObject([
      { ...both, wecom_key: 'new-key', subscriptions: { price_change: ['dingtalk'] } },
      { ...both, wecom_key: '', subscriptions: { price_change: ['dingtalk'] } },
    ]);
  });

  it('does not take quiet hours without one of their times for none', async () => {
    const quiet_hours = { start: 1320, end: 480, timezone: 'Asia/Shanghai' };
    const app = await open({ setting: JSON.stringify({ ...stored, quiet_hours }) });
    const card = region('通知设置');
    fireEvent.change(card.getByLabelText('结束'), { target: { value: '' } });
    await app.user.click(card.getByRole('button', { name: '保存' }));
    expect(card.getByText('请输入时间')).toBeTruthy();
    expect(document.activeElement).toBe(card.getByLabelText('结束'));
    expect(app.sent('PUT', '/api/user/setting')).toEqual([]);
  });
});

it('a test says what became of it, and one that failed can be sent again', async () => {
  const app = await open({ email: 'ann@example.org' }, ({ path }) =>
    path === '/api/user/notifications/test' ? ok({ ok: false, detail: 'timeout' }) : undefined,
  );
  const mail = within(region('通知设置').getByRole('group', { name: '邮件' }));
  await app.user.click(mail.getByRole('button', { name: '测试' }));
  expect(await screen.findAllByText('测试通知未送达：超时')).not.toHaveLength(0);
  await app.user.click(await region('通知记录').findByRole('button', { name: '重新发送' }));
  await waitFor(() => expect(app.sent('POST', '/api/user/notifications/3/retry')).toHaveLength(1));
});

it('a code is shown, and another one where it has expired', async () => {
  let asked = 0;
  const app = renderApp('/setting?tab=personal', {
    signedIn: common,
    status: { wxpusher_enabled: true },
    override: ({ path }) => {
      if (path === '/api/user/wxpusher/qrcode') {
        asked += 1;
        return ok({ code: `c${asked}`, url: `https://wxpusher.example.org/c${asked}.jpg`, expires_at: 1 });
      }
      return path === '/api/user/wxpusher/status' ? ok({ state: asked === 1 ? 'expired' : 'waiting' }) : undefined;
    },
  });
  await app.user.click(await screen.findByRole('button', { name: '点击显示二维码' }));
  await app.user.click(await screen.findByRole('button', { name: '二维码已过期，点击重新获取' }));
  expect((await screen.findByRole('img', { name: 'WxPusher 二维码' })).getAttribute('src')).toContain('c2');
});

describe('announcements', () => {
  it('are read once they are shown, and only root writes them', async () => {
    const app = renderApp('/announcement', { signedIn: common });
    expect(await screen.findByText('本周日凌晨例行维护')).toBeTruthy();
    expect(screen.getAllByText('未读')).toHaveLength(1);
    await waitFor(() =>
      expect(app.calls.filter(({ path }) => path === '/api/announcement/read').map(({ body }) => body)).toEqual([{ ids: [3] }]),
    );
    expect(screen.queryByRole('button', { name: '发布公告' })).toBeNull();
    expect(await screen.findByRole('link', { name: '公告：1 条未读' })).toBeTruthy();
  });

  it('keep their title where they cannot be read', async () => {
    renderApp('/announcement', {
      signedIn: common,
      override: ({ path }) => (path === '/api/announcement' ? refuse('数据库不可用', 500) : undefined),
    });
    expect((await screen.findByRole('alert')).textContent).toContain('数据库不可用');
    expect(screen.getByRole('heading', { level: 1, name: '公告' })).toBeTruthy();
  });

  it('are written with a title and a text, and sent where that is wanted', async () => {
    const app = renderApp('/announcement', { signedIn: root });
    await app.user.click(await screen.findByRole('button', { name: '发布公告' }));
    const dialog = within(await screen.findByRole('dialog', { name: '发布公告' }));
    await app.user.click(dialog.getByRole('button', { name: '发布' }));
    expect(dialog.getByText('请输入标题')).toBeTruthy();
    await app.user.type(dialog.getByRole('textbox', { name: /标题/ }), '升级');
    await app.user.type(dialog.getByRole('textbox', { name: /内容/ }), '周日');
    await app.user.click(dialog.getByRole('button', { name: '发布' }));
    await waitFor(() =>
      expect(
        app.calls.filter(({ method, path }) => method === 'POST' && path === '/api/announcement').map(({ body }) => body),
      ).toEqual([{ title: '升级', content: '周日', kind: 'announcement', tell: true }]),
    );
  });

  it('lead back from a page that is gone with the last one on it', async () => {
    const all = Array.from({ length: 11 }, (_, index) => ({ ...announcements[0], id: 11 - index, title: `nr ${11 - index}` }));
    const app = renderApp('/announcement?p=2', {
      signedIn: root,
      override({ method, path, query }) {
        if (method === 'DELETE') return ok(void all.pop());
        if (method !== 'GET' || path !== '/api/announcement') return undefined;
        const start = (Number(query.p) - 1) * 10;
        return ok({ items: all.slice(start, start + 10), page: 1, page_size: 10, total: all.length });
      },
    });
    await screen.findByRole('heading', { name: 'nr 1' });
    await app.user.click(screen.getByRole('button', { name: '删除' }));
    await app.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: '删除' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'nr 1' })).toBeNull());
    await app.user.click(screen.getByRole('button', { name: '上一页' }));
    await screen.findByRole('heading', { name: 'nr 11' });
  });
});

it('what was sent, and cannot be read, is said and asked for again', async () => {
  let busy = true;
  const app = await open({}, ({ path }) => (path === '/api/user/notifications' && busy ? refuse('数据库忙', 500) : undefined));
  const card = within(await screen.findByRole('region', { name: '通知记录' }));
  const again = await card.findByRole('button', { name: '重试' });
  busy = false;
  await app.user.click(again);
  expect(await card.findByText('模型价格已调整')).toBeTruthy();
});
