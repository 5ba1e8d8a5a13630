import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { LoginUser } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { type Rendered, renderApp, seeNotice } from '../../../test/render.tsx';
import { highlight } from './highlight.ts';
import { type Answer, bodyOf, emptyAnswer, messagesOf, newSetup, pictureOf, readTools, type Turn, toolsFault } from './model.ts';
import { grown } from './stream.ts';

describe('code', () => {
  it('keeps every character, whatever it colours', () => {
    for (const source of [
      '',
      'const a = "b\\"c"; // d',
      "x = 'open\n# y",
      '/* never ends',
      '`$(a)` 0x1f 1.5e3',
      '<!-- a --> <b>',
    ])
      expect(
        highlight(source)
          .map(({ text }) => text)
          .join(''),
      ).toBe(source);
  });

  it('tells words, texts, numbers, comments and calls apart', () => {
    const tones = Object.fromEntries(highlight('return f("if", 12) // for').map(({ text, tone }) => [text, tone]));
    expect(tones).toMatchObject({ return: 'text-violet', f: 'text-accent', '"if"': 'text-ok', '12': 'text-warn' });
    expect(tones['// for']).toContain('italic');
  });
});

const turn = (text: string, answers: Partial<Answer>[] = []): Turn => ({
  ...{ id: text, text, images: [] },
  answers: answers.map((answer) => ({ ...emptyAnswer(answer.model ?? 'a'), ...answer })),
});

describe('what is asked', () => {
  it('tells each model its own answers, and those of the first that gave one where it has none', () => {
    const before = [
      turn('1', [
        { model: 'a', text: 'by a' },
        { model: 'b', text: 'by b' },
      ]),
      turn('2', [{ model: 'a', text: '' }]),
    ];
    const setup = { ...newSetup, system: 'Be brief.' };
    const said = (model: string) => messagesOf(setup, before, turn('3'), model).map(({ content }) => content);
    expect(said('b')).toEqual(['Be brief.', '1', 'by b', '2', '3']);
    expect(said('c')).toEqual(['Be brief.', '1', 'by a', '2', '3']);
    const failed = [
      { model: 'a', state: 'error' as const },
      { model: 'b', text: 'by b' },
    ];
    const told = (model: string) => messagesOf(newSetup, [turn('1', failed)], turn('2'), model).map(({ content }) => content);
    expect([told('a'), told('c')]).toEqual(Array(2).fill(['1', 'by b', '2']));
  });

  it('sends 0 until the temperature was touched, and pictures beside the text', () => {
    const body = bodyOf(newSetup, messagesOf(newSetup, [], { text: 'x', images: ['data:image/png;base64,AA'] }, 'm'), 'm');
    expect(body).toMatchObject({ temperature: 0, max_tokens: 0, stream: true });
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
    ]);
    expect(bodyOf({ ...newSetup, temperature: 0.7, group: 'vip' }, [], 'm')).toMatchObject({ temperature: 0.7, group: 'vip' });
  });

  it('sends pictures again while they fit together, the newest first', () => {
    const shown = (text: string, chars: number): Turn => ({ ...turn(text), images: ['x'.repeat(chars)] });
    const before = [shown('1', 2_000_000), shown('2', 4_000_000), turn('3')];
    const told = (chars: number) =>
      messagesOf(newSetup, before, shown('4', chars), 'm').map(({ content }) => typeof content === 'string');
    expect(told(4_000_000)).toEqual([false, false, true, false]);
    expect(told(5_000_000)).toEqual([true, false, true, false]);
    expect(told(7_000_000)).toEqual([true, true, true, false]);
  });

  it('takes tools as a list only', () => {
    expect([' ', '[]'].map(readTools)).toEqual([undefined, undefined]);
    expect(readTools('[{"type":"function"}]')).toEqual([{ type: 'function' }]);
    expect(['', '[]', '{}', '[\n{"type":}]'].map(toolsFault)).toEqual([
      ...['', '', '不是 JSON 数组：[...]', '不是合法的 JSON 字符串：第 2 行第 9 列'],
    ]);
  });
});

describe('an answer grows', () => {
  it('by text, thought, tool calls in pieces, and ends with its usage', () => {
    const events = [
      { choices: [{ delta: { role: 'assistant', content: '' } }] },
      { choices: [{ delta: { reasoning_content: 'Hm' } }] },
      { choices: [{ delta: { content: 'A' } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"a"' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }, { index: 9 }] } }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
      { choices: 'odd', usage: 7 },
    ];
    const answer = events.reduce((so, event, index) => grown(so, event, index * 10), emptyAnswer('m'));
    expect(answer).toMatchObject({
      state: 'incomplete',
      text: 'A',
      reasoning: 'Hm',
      firstMs: 10,
      promptTokens: 3,
      completionTokens: 2,
    });
    expect(answer.toolCalls).toEqual([{ name: 'f', arguments: '{"a":1}' }]);
  });
});

describe('what can be asked', () => {
  it('has the models of a channel that was added since the page was left', async () => {
    let added = false;
    const app = renderApp('/playground', {
      signedIn: root,
      override: ({ path }) => (path === '/api/user/models' && !added ? ok([]) : undefined),
    });
    await app.user.click(await screen.findByRole('link', { name: '添加渠道' }));
    await screen.findByRole('dialog', { name: '添加渠道' });
    added = true;
    vi.setSystemTime(Date.now() + 10_000);
    await app.router.navigate({ to: '/playground' });
    await screen.findByText('开始对话');
  });

  it('offers no drawings and no songs, which cannot be talked to', async () => {
    const all = ['mj_imagine', 'suno_music', 'swap_face', 'gpt-4o'];
    renderApp('/playground', {
      signedIn: common,
      override: ({ path }) => (path === '/api/user/models' ? ok(all) : undefined),
    });
    expect((await screen.findByRole<HTMLInputElement>('combobox', { name: '模型' })).value).toBe('gpt-4o');
    expect(screen.queryByRole('button', { name: '再加一个模型对比' })).toBeNull();
  });

  it('shows the group that is asked with, also where the account has lost it', async () => {
    localStorage.setItem(`playground:${common.id}`, JSON.stringify({ setup: { ...newSetup, group: 'lost' }, turns: [] }));
    const app = renderApp('/playground', { signedIn: common });
    const group = await screen.findByRole<HTMLSelectElement>('combobox', { name: '分组' });
    await waitFor(() => expect(group.options.length).toBeGreaterThan(2));
    expect(group.value).toBe('lost');
    await app.user.selectOptions(group, '用户分组');
    expect([...group.options].map(({ value }) => value)).not.toContain('lost');
  });
});

describe('a refusal', () => {
  /** The playground whose question is refused. */
  async function askRefused(status: number, error: Record<string, string>, signedIn = true) {
    const app = renderApp('/playground', {
      signedIn: common,
      override: ({ path, method }) =>
        signedIn || path !== '/api/user/self' || method !== 'GET' || !asked ? undefined : refuse('未登录', 401),
    });
    let asked = false;
    const rest = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      if (!url.startsWith('/pg/')) return rest(url, init);
      asked = true;
      const headers = new Headers(init.headers);
      expect([headers.get('New-Api-User'), headers.get('Cache-Control')]).toEqual([String(common.id), 'no-store']);
      return Promise.resolve(Response.json({ error }, { status }));
    });
    const field = await screen.findByRole('textbox', { name: /输入消息/ });
    await app.user.type(field, 'Why?{Enter}');
    return app;
  }

  it("is told in the upstream's own words, and ends no session", async () => {
    for (const [status, message] of [
      [401, 'Incorrect API key provided'],
      [429, 'Rate limit reached for gpt-4o-mini'],
    ] as const) {
      const app = await askRefused(status, { message });
      expect(await screen.findByText(message)).toBeTruthy();
      expect(app.router.state.location.pathname).toBe('/playground');
      cleanup();
      localStorage.clear();
    }
  });

  it('for want of money says so in the words of the page, and where to get some', async () => {
    await askRefused(403, { message: 'user quota is not enough (request id: r1)', code: 'insufficient_user_quota' });
    expect(await screen.findByText(/余额不够支付这次调用：请到钱包充值/)).toBeTruthy();
    expect(screen.queryByText(/user quota is not enough/)).toBeNull();
  });

  it('because the session has ended leads to the sign-in', async () => {
    const app = await askRefused(401, { message: '未登录' }, false);
    await waitFor(() => expect(app.router.state.location.href).toContain('/login?expired=true'));
  });
});

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

it('says which file is no picture or cannot be read, and takes the others', async () => {
  class Reader extends FileReader {
    override readAsDataURL(file: File) {
      if (file.name !== 'gone.png') super.readAsDataURL(file);
      else for (const type of ['error', 'loadend']) this.dispatchEvent(new ProgressEvent(type));
    }
  }
  vi.stubGlobal('FileReader', Reader);
  renderApp('/playground', { signedIn: common });
  await screen.findByRole('textbox', { name: /输入消息/ });
  // Whatever the picker offers: systems let everything be chosen, and what is pasted is not asked for.
  const user = userEvent.setup({ applyAccept: false });
  const picker = document.querySelector<HTMLInputElement>('input[type=file]') ?? expect.fail();
  const none = ['gone.png', 'renamed.png', 'report.pdf', 'drawing.svg'];
  const files = none.map((name) => new File(['x'], name, { type: name === 'report.pdf' ? 'application/pdf' : 'image/png' }));
  await user.upload(picker, [...files, new File([png], 'here.jpg', { type: 'image/jpeg' })]);
  for (const name of none) await seeNotice(`${name} 无法添加：不是 PNG、JPEG、GIF 或 WebP 图片`);
  const shown = await screen.findAllByRole('img', { name: /^图片 / });
  expect(shown.map((image) => image.getAttribute('src'))).toEqual(['data:image/png;base64,iVBORw0KGgo=']);
});

it.each([
  ['iVBORw0KGgoAAA', 'data:image/png;base64,iVBORw0KGgoAAA'],
  ['/9j/4AAQSkZJRg', 'data:image/jpeg;base64,/9j/4AAQSkZJRg'],
  ['R0lGODlhAQAB', 'data:image/gif;base64,R0lGODlhAQAB'],
  ['UklGRiQAAABXRUJQVlA4', 'data:image/webp;base64,UklGRiQAAABXRUJQVlA4'],
  // Sound has the same frame as WebP.
  ['UklGRiQAAABXQVZFZm10', ''],
  ['JVBERi0xLjcK', ''],
  ['', ''],
])('a picture is known by how it begins: %s', (body, address) => {
  expect(pictureOf(`data:application/octet-stream;base64,${body}`)).toBe(address);
});

it('what is being written is not lost unasked by a step to another page', async () => {
  const { user, router } = renderApp('/playground', { signedIn: common });
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: /输入消息/ });
  await user.type(field, 'A long question');
  void router.navigate({ to: '/token' });
  const question = within(await screen.findByRole('dialog', { name: '放弃未保存的修改？' }));
  await user.click(question.getByRole('button', { name: '取消' }));
  expect([router.state.location.pathname, field.value]).toEqual(['/playground', 'A long question']);
});

it('a question is edited by keyboard alone: Escape gives the pencil back, Enter asks anew', async () => {
  const turns = [turn('First', [{ text: 'Answer', state: 'complete' }])];
  localStorage.setItem(`playground:${common.id}`, JSON.stringify({ setup: { ...newSetup, models: ['gpt-4o'] }, turns }));
  const { user } = renderApp('/playground', { signedIn: common });
  const pencil = () => screen.findByRole('button', { name: '编辑并重新提问' });
  (await pencil()).focus();
  await user.keyboard('{Enter}{End} and more{Escape}');
  expect(document.activeElement).toBe(await pencil());
  expect(screen.getByText('First')).toBeTruthy();
  await user.keyboard('{Enter}{End}, then{Shift>}{Enter}{/Shift}second{Enter}');
  expect(await screen.findByText(/First, then\s+second/)).toBeTruthy();
  expect(screen.queryByText('Answer')).toBeNull();
});

describe('what was said', () => {
  const place = (user: LoginUser) => `playground:${user.id}`;
  const kept = (user: LoginUser) => JSON.parse(localStorage.getItem(place(user)) ?? '{"turns":[]}').turns;
  const saidBy = (user: LoginUser, text: string) =>
    localStorage.setItem(
      place(user),
      JSON.stringify({ setup: newSetup, turns: [turn(`asked by ${user.username}`, [{ text, state: 'complete' }])] }),
    );

  /** The playground with a model whose answer begins and never ends; `cut` breaks its connection off. */
  async function askSlowly(question: string): Promise<Rendered & { cut(): void }> {
    let answer: ReadableStreamDefaultController | undefined;
    const start = (stream: ReadableStreamDefaultController) => {
      answer = stream;
      stream.enqueue(new TextEncoder().encode(half));
    };
    const half = `data: ${JSON.stringify({ choices: [{ delta: { content: 'Half of it' } }] })}\n\n`;
    const app = renderApp('/playground', { signedIn: common });
    const rest = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      if (!url.startsWith('/pg/')) return rest(url, init);
      return Promise.resolve(new Response(new ReadableStream({ start })));
    });
    const field = await screen.findByRole('textbox', { name: /输入消息/ });
    await waitFor(() => expect(field.hasAttribute('disabled')).toBe(false));
    await app.user.type(field, `${question}{Enter}`);
    await waitFor(() => expect(kept(common)).toMatchObject([{ text: question, answers: [{ state: 'loading' }] }]));
    await screen.findByText('Half of it');
    return { ...app, cut: () => answer?.error(new TypeError('Load failed')) };
  }

  it('is there again when the page was left during an answer, with as much of it as came', async () => {
    const app = await askSlowly('Why?');
    await app.router.navigate({ to: '/token', search: {} });
    await waitFor(() => expect(kept(common)).toMatchObject([{ text: 'Why?', answers: [{ text: 'Half of it' }] }]));
    await app.router.navigate({ to: '/playground' });
    expect(await screen.findByText('Half of it')).toBeTruthy();
    expect(screen.getByText('已停止')).toBeTruthy();
  });

  it('is not asked again with tools that cannot be sent, and nothing of it is lost', async () => {
    const setup = { ...newSetup, models: ['gpt-4o-mini'], tools: '[{' };
    localStorage.setItem(place(common), JSON.stringify({ setup, turns: [turn('Why?', [{ text: 'So', state: 'complete' }])] }));
    const { user } = renderApp('/playground', { signedIn: common });
    await user.click(await screen.findByRole('button', { name: '重新生成' }));
    await seeNotice(/不是合法的 JSON/);
    expect(screen.getByText('So')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: '编辑并重新提问' }));
    await user.type(screen.getByRole('textbox', { name: '您的消息' }), ' Really?');
    await user.click(screen.getByRole('button', { name: '重新提问' }));
    expect(screen.getByRole('textbox', { name: '您的消息' })).toHaveProperty('value', 'Why? Really?');
  });

  it('is there again when the window was closed during an answer', async () => {
    await askSlowly('Why?');
    dispatchEvent(new Event('pagehide'));
    expect(kept(common)).toMatchObject([{ text: 'Why?', answers: [{ text: 'Half of it' }] }]);
  });

  it('counts as stopped where the browser breaks the answer off before it hides the page, and as broken off otherwise', async () => {
    const { cut } = await askSlowly('Why?');
    dispatchEvent(new Event('beforeunload'));
    cut();
    expect(await screen.findByText('已停止')).toBeTruthy();
    await waitFor(() => expect(kept(common)).toMatchObject([{ answers: [{ state: 'stopped', text: 'Half of it' }] }]));
    cleanup();
    localStorage.clear();
    (await askSlowly('Why?')).cut();
    expect(await screen.findByText('无法连接到服务器')).toBeTruthy();
  });

  it('is shown to nobody else, not even what was kept before it had an owner', async () => {
    saidBy(root, 'for root only');
    localStorage.setItem('playground', localStorage.getItem(place(root)) ?? '');
    renderApp('/playground', { signedIn: common });
    expect(await screen.findByText('开始对话')).toBeTruthy();
    expect(screen.queryByText('for root only')).toBeNull();
    expect(localStorage.getItem('playground')).toBeNull();
  });

  it('goes from the page and the browser when somebody else signs in, in another window too', async () => {
    await askSlowly('Why?');
    localStorage.setItem('user', JSON.stringify(root));
    saidBy(root, 'for root only');
    dispatchEvent(new StorageEvent('storage', { key: 'user' }));
    expect(await screen.findByText('for root only')).toBeTruthy();
    expect(screen.queryByText('Half of it')).toBeNull();
    expect([localStorage.getItem(place(common)), kept(root).length]).toEqual([null, 1]);
  });

  it('goes when its user signs out during an answer, and comes back to who only has to sign in again', async () => {
    const app = await askSlowly('Why?');
    await app.user.click(screen.getByRole('button', { name: '用户菜单：李华' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '退出登录' }));
    expect(await screen.findByRole('heading', { name: '登录' })).toBeTruthy();
    await waitFor(() => expect(localStorage.getItem(place(common))).toBeNull());
    // As after a session that ended by itself.
    for (const user of [root, common]) saidBy(user, 'said before');
    await app.user.type(screen.getByLabelText(/用户名/), 'lihua');
    await app.user.type(screen.getByLabelText(/^密码/), 'correct-horse{Enter}');
    await waitFor(() => expect(localStorage.getItem(place(root))).toBeNull());
    expect(kept(common)).toHaveLength(1);
  });
});
