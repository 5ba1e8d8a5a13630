import { createMemoryHistory, RouterContextProvider } from '@tanstack/react-router';
import { render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { LoginUser } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { type MockOptions, refuse } from '../../../test/mock-api.ts';
import { operations } from '../../../test/operations.ts';
import { enabledButton, renderApp } from '../../../test/render.tsx';
import { createAppRouter } from '../../app/router.tsx';
import { useSmallForm } from '../form/useSmallForm.ts';
import { OverlayHosts } from '../OverlayHosts.tsx';
import { CancelButton, Dialog } from './Dialog.tsx';
import { SecretDialog } from './SecretDialog.tsx';

const question = () => screen.findByRole('dialog', { name: '放弃未保存的修改？' });
const answer = async (name: '取消' | '放弃修改') => within(await question()).getByRole('button', { name });

type Way = (user: ReturnType<typeof userEvent.setup>) => Promise<unknown>;
const beside: Way = (user) => user.click(document.querySelector('.bg-backdrop') ?? expect.unreachable());
const ways: Record<string, Way> = {
  Escape: (user) => user.keyboard('{Escape}'),
  'the cross': (user) => user.click(screen.getByRole('button', { name: '关闭' })),
  'the button': (user) => user.click(screen.getByRole('button', { name: '取消' })),
};

function Form({ onClose }: { onClose(): void }) {
  const form = useSmallForm({ text: '' }, () => ({}));
  return (
    <Dialog title="表单" onClose={onClose} dirty={form.dirty} footer={<CancelButton />}>
      <input aria-label="文字" {...form.field('text')} />
    </Dialog>
  );
}

describe('a secret that is shown once', () => {
  it('stays at a press beside it, and goes by Escape', async () => {
    const onClose = vi.fn();
    render(<SecretDialog title="密钥" label="密钥" value="sk-1" copyLabel="复制" note="" onClose={onClose} />);
    const user = userEvent.setup();
    await beside(user);
    expect(onClose).not.toHaveBeenCalled();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  });
});

describe('a dialog opened by keyboard', () => {
  it('starts at its first field, else at its last button, never at the cross', async () => {
    const first = render(<Form onClose={vi.fn()} />);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('文字')));
    first.unmount();
    const second = render(<Dialog title="说明" onClose={vi.fn()} footer={<button type="button">知道了</button>} />);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: '知道了' })));
    second.unmount();
    render(<Dialog title="说明" onClose={vi.fn()} />);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('dialog')));
  });

  it('starts at the field that is marked, wherever it stands', async () => {
    render(
      <Dialog title="公告" onClose={vi.fn()}>
        <select aria-label="类型" />
        <input aria-label="标题" data-autofocus />
      </Dialog>,
    );
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('标题')));
  });

  it('goes on to its first field when a form arrives, unless the focus was moved by then', async () => {
    const dialog = (form: boolean) => (
      <Dialog title="提现" onClose={vi.fn()}>
        {form && <input aria-label="金额" />}
      </Dialog>
    );
    const first = render(dialog(false));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('dialog')));
    first.rerender(dialog(true));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('金额')));
    first.unmount();
    const second = render(dialog(false));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('dialog')));
    const cross = screen.getByRole('button', { name: '关闭' });
    cross.focus();
    second.rerender(dialog(true));
    expect(document.activeElement).toBe(cross);
  });
});

describe('a dialog with a form', () => {
  const open = () => {
    const onClose = vi.fn();
    render(
      <RouterContextProvider router={createAppRouter(createMemoryHistory())}>
        <OverlayHosts />
        <Form onClose={onClose} />
      </RouterContextProvider>,
    );
    return { user: userEvent.setup(), onClose };
  };
  const field = () => screen.getByLabelText<HTMLInputElement>('文字');

  it.each(Object.entries({ ...ways, 'a press beside it': beside }))(
    'is left by %s while it is untouched',
    async (_name, leave) => {
      const { user, onClose } = open();
      await user.click(field());
      await leave(user);
      await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
    },
  );

  it.each(Object.entries(ways))('asks before %s discards what was typed', async (_name, leave) => {
    const { user, onClose } = open();
    await user.type(field(), 'a long text');
    await leave(user);
    await user.click(await answer('取消'));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '放弃未保存的修改？' })).toBeNull());
    expect([onClose.mock.calls.length, field().value]).toEqual([0, 'a long text']);
    await leave(user);
    await user.click(await answer('放弃修改'));
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  });

  it('keeps what was typed at a press beside it, and at Escape in the question', async () => {
    const { user, onClose } = open();
    await user.type(field(), 'a long text');
    await beside(user);
    expect(screen.queryByRole('dialog', { name: '放弃未保存的修改？' })).toBeNull();
    await user.type(field(), '{Escape}');
    await waitFor(async () => expect((await question()).contains(document.activeElement)).toBe(true));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '放弃未保存的修改？' })).toBeNull());
    expect([onClose.mock.calls.length, field().value]).toEqual([0, 'a long text']);
  });

  it('is clean again when what was typed is taken back', async () => {
    const { user, onClose } = open();
    await user.type(field(), 'x{Backspace}{Escape}');
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  });
});

interface Place {
  path: string;
  user?: LoginUser;
  status?: MockOptions['status'];
  /** What is pressed, one after the other, to open it. */
  press: readonly RegExp[];
  field: RegExp;
}
const prices = (view: RegExp, edit: RegExp, field: RegExp): Place => ({
  ...{ path: '/setting?tab=operation', press: [view, edit], field },
});
const agent = { path: '/agent', user: common, status: { agent_enabled: true }, field: /金额/ };
const places: Record<string, Place> = {
  'an announcement': { path: '/announcement', press: [/^发布公告/], field: /^内容/ },
  'a payout': { ...agent, press: [/^申请提现$/] },
  'a conversion': { ...agent, press: [/^兑换额度$/] },
  'the end of a withdrawal': {
    ...{ path: '/agent/manage?tab=withdrawals', status: { agent_enabled: true } },
    ...{ press: [/^打款$/], field: /打款凭证号/ },
  },
  'a credit': { path: '/payment?tab=unmatched', press: [/^入账$/], field: /^入账额度/ },
  'a reversal': { path: '/payment', press: [/^撤销订单$/], field: /撤销原因/ },
  'the prices of a model': prices(/^可视化编辑/, /^编辑 gpt-4o$/, /^模型(?!倍率)/),
  'the tiers of a model': prices(/^阶梯价格$/, /^编辑 gemini-2.5-pro$/, /^模型(?!倍率)/),
  'the ratio of a group': prices(/^分组倍率$/, /^添加特殊倍率$/, /^用户所在分组/),
};

it.each(Object.entries(places))('%s is not discarded by Escape once it was touched', async (_name, place) => {
  const app = renderApp(place.path, { signedIn: place.user ?? root, status: place.status, override: operations });
  for (const name of place.press) await app.user.click(await enabledButton(name));
  const form = within(await screen.findByRole('dialog'));
  await app.user.type(await form.findByLabelText(place.field), '7');
  await app.user.keyboard('{Escape}');
  await app.user.click(await answer('放弃修改'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

describe('a form over a page', () => {
  const compose = async (options: MockOptions = {}) => {
    const app = renderApp('/announcement', { signedIn: root, override: operations, ...options });
    await app.user.click(await screen.findByRole('button', { name: /^发布公告/ }));
    const form = within(await screen.findByRole('dialog', { name: '发布公告' }));
    const content = await form.findByLabelText<HTMLTextAreaElement>(/^内容/);
    await app.user.type(form.getByLabelText(/^标题/), '维护');
    await app.user.type(content, '今晚十点');
    return { app, form, content };
  };
  const path = (app: ReturnType<typeof renderApp>) => app.router.state.location.pathname;

  it('is not lost with the page unless that is meant', async () => {
    const { app, content } = await compose();
    void app.router.navigate({ to: '/token' });
    await app.user.click(await answer('取消'));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '放弃未保存的修改？' })).toBeNull());
    expect([path(app), content.value, content.isConnected]).toEqual(['/announcement', '今晚十点', true]);
    void app.router.navigate({ to: '/token' });
    await app.user.click(await answer('放弃修改'));
    await waitFor(() => expect(path(app)).toBe('/token'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('stays where the session has ended, and says how it can still be sent', async () => {
    const { app, form, content } = await compose({
      // Not what is marked as read while the text is written: that would end the session before it.
      override: (request) =>
        request.method === 'POST' && request.path === '/api/announcement' ? refuse('未登录', 401) : operations(request),
    });
    await app.user.click(form.getByRole('button', { name: '发布' }));
    await app.user.click(await answer('取消'));
    expect(await form.findByText(/填写的内容还在/)).toBeTruthy();
    expect(form.getByRole('link', { name: '登录' }).getAttribute('target')).toBe('_blank');
    expect([path(app), content.value]).toEqual(['/announcement', '今晚十点']);
  });

  it.each([
    ['from a proxy', 502, /操作可能已经完成/],
    ['from our own server, which did nothing', 503, /^稍后$/],
  ])('says whether it may have been done after an answer %s', async (_name, status, text) => {
    const { app, form } = await compose({
      override: (request) => (request.method === 'POST' ? refuse('稍后', status) : operations(request)),
    });
    await app.user.click(form.getByRole('button', { name: '发布' }));
    expect(await form.findByText(text)).toBeTruthy();
  });
});
