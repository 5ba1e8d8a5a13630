import { screen, waitFor, within } from '@testing-library/react';
import { settingBody, type User } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { common, root, status, userOf } from '../../../test/fixtures.ts';
import { type MockOptions, ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { moneyFormatOf } from '../../api/status.ts';
// What pages load when they need it is here from the start: loading takes as long as the machine is busy.
import '../account/PersonalTab.tsx';
import '../announcements/AnnouncementsPage.tsx';
import './DeliveriesCard.tsx';
import './NotifyCard.tsx';
import { eventsFor, faultsOf, quietDraft, quietOf, settingOf, subscriptionsOf } from './model.ts';

const format = moneyFormatOf(status);
const region = (name: string) => within(screen.getByRole('region', { name }));

async function open(self: Partial<User>, more: MockOptions['override'] = () => undefined) {
  const app = renderApp('/setting?tab=personal', {
    signedIn: common,
    override: (request) =>
      request.path === '/api/user/self' && request.method === 'GET' ? ok({ ...userOf(common), ...self }) : more(request),
  });
  await screen.findByRole('region', { name: '通知设置' }, { timeout: 10_000 });
  const sent = (method: string, path: string) =>
    app.calls.filter((call) => call.method === method && call.path === path).map(({ body }) => body);
  return { ...app, sent };
}

describe('the settings', () => {
  it('need a webhook address only where one is wanted, and a threshold always', () => {
    const texts = { threshold: '0', email: 'x', url: '' };
    expect(faultsOf(texts, {}, format)).toEqual({ threshold: '预警阈值必须大于0', email: '无效的邮箱地址', url: undefined });
    const wanted = { quota_warning: ['webhook'] } as const;
    expect(faultsOf({ ...texts, threshold: '1' }, wanted, format).url).toBe('Webhook地址不能为空');
    expect(faultsOf({ ...texts, threshold: '1', url: 'ftp://x' }, {}, format).url).toBe('无效的Webhook地址');
    expect(settingOf({ setting: 'not json' })).toEqual({});
  });

  it('offer alerts to root alone, and count what is usual until somebody chose', () => {
    expect(eventsFor(common)).toEqual(['quota_warning', 'price_change', 'announcement', 'promotion', 'contact']);
    expect(eventsFor(root)).toContain('ledger_red');
    expect(subscriptionsOf({ subscriptions: { announcement: ['wecom'] } }, ['quota_warning', 'announcement'])).toEqual({
      quota_warning: ['email'],
      announcement: ['wecom'],
    });
  });

  it('turn quiet hours into minutes and back', () => {
    const quiet = { start: 1290, end: 425, timezone: 'Asia/Shanghai' };
    expect(quietDraft(quiet)).toEqual({ on: true, start: '21:30', end: '07:05', timezone: 'Asia/Shanghai' });
    expect(quietOf(quietDraft(quiet))).toEqual(quiet);
    expect(quietOf({ ...quietDraft(quiet), on: false })).toBeNull();
  });

  it('are sent whole, a stored secret that is not typed anew stays, a removed key goes', async () => {
    const setting = {
      ...{ quota_warning_threshold: 500_000, webhook_url: 'https://hook.example.org/a', webhook_secret_set: true },
      ...{ wecom_key_set: true, subscriptions: { quota_warning: ['webhook'] } },
    };
    const app = await open({ setting: JSON.stringify(setting) });
    const card = region('通知设置');
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
});
