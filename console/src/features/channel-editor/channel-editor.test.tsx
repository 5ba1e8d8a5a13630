import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelBody, channelTypes, channelUpdate } from '@tollgate/contract';
import { describe, expect, it, vi } from 'vitest';
import { channelOf, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { renderApp, seeNotice } from '../../../test/render.tsx';
import { addModels, type ChannelDraft, draftOf, newDraft, toChange, toInput } from './draft.ts';
import { channelSchema } from './schema.ts';
import { describeType, typeOptions } from './types/index.ts';

const draft = (fields: Partial<ChannelDraft> = {}): ChannelDraft => ({
  ...newDraft(),
  name: 'a',
  models: ['m'],
  keys: 'sk-1',
  ...fields,
});
const labelOf = (type: number): string => channelTypes.find((facts) => facts.type === type)?.label ?? '';
const faults = (fields: Partial<ChannelDraft>, channel?: Parameters<typeof channelSchema>[0]): string[] => {
  const result = channelSchema(channel).safeParse(draft(fields));
  return result.success ? [] : result.error.issues.map((issue) => String(issue.path[0]));
};

describe('the draft of a channel', () => {
  it('gives what the contract expects, one key per line', () => {
    const input = toInput(
      draft({ keys: ' sk-1 \n\nsk-2\nsk-1', groups: ['default', 'vip'], baseUrl: 'https://x.example/ ', autoBan: false }),
    );
    expect(channelBody.safeParse(input).success).toBe(true);
    expect(input).toMatchObject({
      key: 'sk-1\nsk-2',
      group: 'default,vip',
      base_url: 'https://x.example',
      auto_ban: 0,
      priority: 0,
    });
  });

  it('changes nothing when it was only opened', () => {
    const channel = channelOf({ id: 3, name: 'a', tag: 't', priority: -5, setting: '{"proxy":"x"}', model_mapping: '{"a":"b"}' });
    expect(toChange(draftOf(channel), channel)).toEqual({});
  });

  it('sends only what differs, and a key only when one was typed', () => {
    const channel = channelOf({ id: 3, name: 'a', tag: 't' });
    const change = toChange({ ...draftOf(channel), tag: '', models: ['x'] }, channel);
    expect(change).toEqual({ tag: '', models: 'x', seen_models: channel.models, seen: { tag: 't' } });
    expect(channelUpdate.safeParse({ id: 3, ...change }).success).toBe(true);
    expect(toChange({ ...draftOf(channel), keys: 'sk-new' }, channel)).toEqual({ key: 'sk-new' });
  });

  it('adds custom models once, split at commas of both kinds', () => {
    expect(addModels(['a'], 'b, a，c,b')).toEqual({ models: ['a', 'b', 'c'], known: true });
    expect(addModels(['a'], 'b')).toEqual({ models: ['a', 'b'], known: false });
  });
});

describe('the rules of the channel form', () => {
  it('ask for name, group, model and, for a new channel, a key', () => {
    expect(faults({ name: ' ', groups: [], models: [], keys: '\n' })).toEqual(['name', 'groups', 'models', 'keys']);
    expect(faults({ keys: '' }, channelOf({}))).toEqual([]);
  });

  it('ask for the key again when the address moves to another host', () => {
    const channel = channelOf({ base_url: 'https://a.example' });
    expect(faults({ keys: '', baseUrl: 'https://a.example/other' }, channel)).toEqual([]);
    expect(faults({ keys: '', baseUrl: 'https://b.example' }, channel)).toEqual(['keys']);
    expect(faults({ keys: 'sk-2', baseUrl: 'https://b.example' }, channel)).toEqual([]);
  });

  it('ask for the key again when another proxy could read it, which is so without TLS', () => {
    const at = (baseUrl: string, setting: string, keys = '') => faults({ keys, baseUrl, setting }, stored(baseUrl));
    const stored = (address: string) => channelOf({ base_url: address, setting: '{"proxy":"http://one.example"}' });
    for (const setting of ['{"proxy":"http://two.example"}', '']) {
      expect(at('http://a.example', setting)).toEqual(['keys']);
      expect(at('http://a.example', setting, 'sk-2')).toEqual([]);
      expect(at('https://a.example', setting)).toEqual([]);
    }
    expect(at('http://a.example', '{"hedge_ms":50,"proxy":"http://one.example"}')).toEqual([]);
  });

  it('take JSON objects only, and say where a fault is', () => {
    expect(faults({ modelMapping: '[]', statusCodeMapping: '1', setting: '{', paramOverride: '{"a": 1}' })).toEqual([
      'modelMapping',
      'statusCodeMapping',
      'setting',
    ]);
    const result = channelSchema(undefined).safeParse(draft({ setting: '{\n "a" 1}' }));
    expect(result.error?.issues[0]?.message).toBe('不是合法的 JSON 字符串：第 2 行第 6 列');
  });

  it('take addresses of the web only, without a password in them', () => {
    for (const baseUrl of ['ftp://x.example', 'x.example', 'javascript:alert(1)', 'https://user:pw@x.example'])
      expect(faults({ baseUrl })).toEqual(['baseUrl']);
    expect(faults({ type: 8, baseUrl: '' })).toEqual(['baseUrl']);
    expect(faults({ baseUrl: 'http://10.0.0.8:9997' })).toEqual([]);
  });

  it('take integers from -999 as priority and from 0 as weight', () => {
    expect(faults({ priority: '-999', weight: '0' })).toEqual([]);
    expect(faults({ priority: '-1000', weight: '-1' })).toEqual(['priority', 'weight']);
    expect(faults({ priority: '', weight: '1.5' })).toEqual(['priority', 'weight']);
  });

  it('refuse a model name with a space', () => {
    expect(faults({ models: ['ok', 'not ok'] })).toEqual(['models']);
  });
});

describe('the types', () => {
  it('all ask for a key, and for an address exactly where the contract needs one', () => {
    for (const facts of channelTypes) {
      const { key, address } = describeType(facts.type);
      expect(key.placeholder, facts.label).not.toBe('');
      expect(address?.required === true, facts.label).toBe(facts.needsAddress === true);
    }
  });

  it('with a credential of several lines keep it whole', () => {
    const account = JSON.stringify({ type: 'service_account', private_key: 'x' }, null, 2);
    const input = toInput(draft({ type: 41, keys: account, other: 'us-central1' }));
    expect(input.key).toBe(account);
    expect(faults({ type: 41, keys: account, other: 'us-central1' })).toEqual([]);
    expect(faults({ type: 41, keys: 'sk-1', other: '' })).toEqual(['keys', 'other']);
    expect(faults({ type: 41, keys: account, other: '{"model-a": "us-east5"}' })).toEqual(['other']);
  });

  it('with a credential of several parts ask for all of them', () => {
    expect(faults({ type: 18, keys: 'id|secret' })).toEqual(['keys']);
    expect(faults({ type: 18, keys: 'id|secret|key\nid2|secret2|key2' })).toEqual([]);
  });

  it('that this console does not know can still be edited', () => {
    expect(typeOptions(999).at(-1)).toEqual({ value: 999, label: '#999' });
    expect(typeOptions(6).some((option) => option.value === 6)).toBe(true);
    expect(typeOptions(1).some((option) => option.value === 6)).toBe(false);
  });
});

/** The form of a new channel, with all that it needs. */
async function filledIn(app: ReturnType<typeof renderApp>, keys: string, models: string) {
  const drawer = within(await screen.findByRole('dialog', { name: '添加渠道' }));
  await app.user.type(drawer.getByLabelText(/^名称/), '新渠道');
  await app.user.type(drawer.getByLabelText(/^密钥/), keys);
  await app.user.type(drawer.getByLabelText(/^自定义模型名称/), models);
  return drawer;
}

describe('the channel editor', () => {
  it('fills in the models of the type and creates one channel per key', async () => {
    const app = renderApp('/channel/add', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '添加渠道' }));
    await app.user.type(drawer.getByLabelText(/^名称/), '新渠道');
    await app.user.type(drawer.getByLabelText(/^密钥/), 'sk-1{Enter}sk-2');
    expect(drawer.getByText('将创建 2 个渠道，每行一个密钥')).toBeTruthy();
    await app.user.click(await drawer.findByRole('button', { name: '填入相关模型（6）' }));
    expect(drawer.getByText('已选 6 个')).toBeTruthy();
    await app.user.click(drawer.getByRole('button', { name: '创建渠道' }));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/channel'));
    const [body] = app.sent('POST', '/api/channel');
    expect(body).toMatchObject({ type: 1, name: '新渠道', key: 'sk-1\nsk-2', group: 'default' });
    expect(await screen.findByText('已创建 2 个渠道')).toBeTruthy();
  });

  it('says why a channel that it created is not tested', async () => {
    const app = renderApp('/channel/add', {
      signedIn: root,
      override: ({ method, path, query }) =>
        method === 'GET' && path === '/api/channel' && query.id_sort === 'true' ? refuse('数据库暂不可用') : undefined,
    });
    const drawer = await filledIn(app, 'sk-1', 'model-a');
    await app.user.click(drawer.getByRole('button', { name: '创建并测试' }));
    await seeNotice('通道 新渠道 测试失败：数据库暂不可用');
  });

  it('tests the channels that it created, also where somebody else created one in the same moment', async () => {
    const newest = [91, 90, 89, 88].map((id) => channelOf({ id, name: id === 91 ? '别人的渠道' : '新渠道' }));
    const app = renderApp('/channel/add', {
      signedIn: root,
      override: ({ method, path, query }) => {
        if (path === '/api/channel/test/90') return refuse('上游拒绝');
        if (path === '/api/channel/test/89') return refuse('上游超时');
        return method === 'GET' && path === '/api/channel' && query.id_sort === 'true'
          ? ok(newest.slice(0, Number(query.page_size)))
          : undefined;
      },
    });
    const drawer = await filledIn(app, 'sk-1{Enter}sk-2', 'model-a');
    await app.user.click(drawer.getByRole('button', { name: '创建并测试' }));
    await seeNotice('通道 新渠道 测试失败：上游拒绝');
    await seeNotice('通道 新渠道 测试失败：上游超时');
  });

  it('takes models that were typed and not added before it was saved', async () => {
    const app = renderApp('/channel/add', { signedIn: root });
    const drawer = await filledIn(app, 'sk-1', 'model-a，model-b');
    await app.user.click(drawer.getByRole('button', { name: '创建渠道' }));
    await waitFor(() => expect(app.sent('POST', '/api/channel')).toMatchObject([{ models: 'model-a,model-b' }]));
  });

  it('adds models that were typed behind the press that leaves their field, to those that it chose', async () => {
    const app = renderApp('/channel/add', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '添加渠道' }));
    await app.user.type(drawer.getByLabelText(/^自定义模型名称/), 'model-a');
    const fill = await drawer.findByRole('button', { name: '填入相关模型（6）' });
    await app.user.pointer({ keys: '[MouseLeft>]', target: fill });
    expect(drawer.getByText('已选 0 个')).toBeTruthy();
    await app.user.pointer({ keys: '[/MouseLeft]', target: fill });
    expect(await drawer.findByText('已选 7 个')).toBeTruthy();
  });

  it('moves to the first fault instead of sending', async () => {
    const app = renderApp('/channel/add', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '添加渠道' }));
    await app.user.click(drawer.getByRole('button', { name: '创建渠道' }));
    expect(await drawer.findByText('请填写渠道名称！')).toBeTruthy();
    expect(drawer.getByText('请至少选择一个模型！')).toBeTruthy();
    expect(document.activeElement).toBe(drawer.getByLabelText(/^名称/));
    await app.user.type(drawer.getByLabelText(/^名称/), '新渠道');
    await app.user.type(drawer.getByLabelText(/^密钥/), 'sk-1');
    await app.user.click(drawer.getByRole('button', { name: '创建渠道' }));
    await waitFor(() => expect(document.activeElement).toBe(drawer.getByRole('combobox', { name: /^模型/ })));
    expect(app.sent('POST', '/api/channel')).toEqual([]);
  });

  it('asks no upstream for its models with a field that is faulty, and moves there', async () => {
    const app = renderApp('/channel/add', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '添加渠道' }));
    await app.user.type(drawer.getByLabelText(/^密钥/), 'sk-1');
    await app.user.type(drawer.getByLabelText(/^接口地址/), 'relay.example:3000');
    await app.user.click(drawer.getByRole('button', { name: '获取模型列表' }));
    expect(await drawer.findByText('接口地址不合法，需以 http:// 或 https:// 开头')).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(drawer.getByLabelText(/^接口地址/)));
    expect(app.sent('POST', '/api/channel/fetch_models')).toEqual([]);
  });

  it.each(['', '/chat/completions'])('asks before it saves an address that ends in /v1%s', async (end) => {
    const app = renderApp('/channel/edit/46', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑渠道：主线路' }));
    await app.user.type(drawer.getByLabelText(/^接口地址/), `https://api.openai.com/v1${end}`);
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    const question = within(await screen.findByRole('dialog', { name: '接口地址中已有 /v1' }));
    await app.user.click(question.getByRole('button', { name: '取消' }));
    expect(app.sent('PUT', '/api/channel')).toEqual([]);
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await app.user.click(
      within(await screen.findByRole('dialog', { name: '接口地址中已有 /v1' })).getByRole('button', { name: '继续' }),
    );
    await waitFor(() =>
      expect(app.sent('PUT', '/api/channel')).toEqual([
        { id: 46, base_url: `https://api.openai.com/v1${end}`, seen: { base_url: '' } },
      ]),
    );
  });

  it('says that keys which are entered take the place of all stored ones, and adds them where that is wanted', async () => {
    const app = renderApp('/channel/edit/46', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑渠道：主线路' }));
    await app.user.selectOptions(drawer.getByLabelText('多密钥'), 'polling');
    fireEvent.change(drawer.getByRole('textbox', { name: '密钥' }), { target: { value: 'sk-new-1\nsk-new-2' } });
    await drawer.findByText('这 2 个密钥将替换已保存的全部密钥（…9f3K）；要保留的也需要填写，或改为追加');
    await app.user.click(drawer.getByRole('checkbox', { name: '追加到已保存的密钥' }));
    await drawer.findByText('这 2 个密钥将追加到已保存的密钥（…9f3K）之后，重复的只保存一次');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() =>
      expect(app.sent('PUT', '/api/channel')).toEqual([
        {
          id: 46,
          key: 'sk-new-1\nsk-new-2',
          key_mode: 'append',
          setting: expect.stringContaining('polling'),
          seen: { setting: '' },
        },
      ]),
    );
  });

  it('shows the address that a new channel kept from another type, where its key would go', async () => {
    const app = renderApp('/channel/add', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '添加渠道' }));
    const choose = async (label: string) => {
      await app.user.click(drawer.getByLabelText(/^类型/));
      await app.user.click(await screen.findByRole('option', { name: label }));
    };
    await choose(labelOf(45));
    expect(drawer.queryByLabelText(/^接口地址/)).toBeNull();
    await choose(labelOf(1));
    await app.user.type(drawer.getByLabelText(/^接口地址/), 'https://relay.example');
    await choose(labelOf(45));
    expect(drawer.getByLabelText<HTMLInputElement>(/^接口地址/).value).toBe('https://relay.example');
    await app.user.clear(drawer.getByLabelText(/^接口地址/));
    expect(drawer.queryByLabelText(/^接口地址/)).toBeNull();
  });

  it.each([18, 33, 41, 45])(
    'shows the address that a stored channel of type %i has, also while it is being emptied',
    async (type) => {
      const channel = channelOf({ id: 46, name: 'imported', type, base_url: 'https://relay.example' });
      const app = renderApp('/channel/edit/46', {
        signedIn: root,
        override: ({ path }) => (path === '/api/channel/46' ? ok(channel) : undefined),
      });
      const drawer = within(await screen.findByRole('dialog', { name: '编辑渠道：imported' }));
      const field = drawer.getByLabelText<HTMLInputElement>(/^接口地址/);
      expect(field.value).toBe('https://relay.example');
      await app.user.clear(field);
      expect(drawer.getByLabelText<HTMLInputElement>(/^接口地址/).value).toBe('');
    },
  );

  it('never shows the stored key and leaves it alone when the field stays blank', async () => {
    const app = renderApp('/channel/edit/46', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑渠道：主线路' }));
    expect(drawer.getByLabelText<HTMLTextAreaElement>(/^密钥/).value).toBe('');
    expect(drawer.getByText('已保存的密钥：…9f3K')).toBeTruthy();
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    expect(await screen.findByText('你似乎并没有修改什么')).toBeTruthy();
    expect(app.sent('PUT', '/api/channel')).toEqual([]);
  });

  it('leaves alone what somebody else changed while it was open', async () => {
    let stored = channelOf({ id: 46, name: 'main', priority: 1 });
    const app = renderApp('/channel/edit/46', {
      signedIn: root,
      override: ({ method, path }) => (method === 'GET' && path === '/api/channel/46' ? ok(stored) : undefined),
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑渠道：main' }));
    await app.user.type(drawer.getByLabelText(/^名称/), ' 2');
    stored = { ...stored, priority: 7 };
    await app.readAgain();
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/channel')).toEqual([{ id: 46, name: 'main 2', seen: { name: 'main' } }]));
  });

  it('shows what somebody else saved of the same field, and replaces it where that is saved again', async () => {
    let stored = channelOf({ id: 46, name: 'main', tag: 'one', weight: 1 });
    const app = renderApp('/channel/edit/46', {
      signedIn: root,
      override({ method, path, body }) {
        if (method === 'GET' && path === '/api/channel/46') return ok(stored);
        const { seen } = (body ?? {}) as { seen?: { tag: string } };
        if (method !== 'PUT' || seen?.tag === stored.tag) return undefined;
        return refuse('tag 在您编辑期间已被他人修改', 409);
      },
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑渠道：main' }));
    const tag = drawer.getByLabelText<HTMLInputElement>(/^标签/);
    await app.user.clear(tag);
    await app.user.type(tag, 'mine');
    stored = { ...stored, tag: 'theirs', weight: 7 };
    const shown = vi.spyOn(Element.prototype, 'scrollIntoView');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    // Far above what was edited.
    await drawer.findByText('tag 在您编辑期间已被他人修改');
    expect(shown.mock.contexts.map((it) => (it as Element).textContent)).toContain('tag 在您编辑期间已被他人修改');
    expect((await drawer.findByText('theirs')).parentElement?.textContent).toBe('tag: theirs');
    expect(tag.value).toBe('mine');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/channel').at(-1)).toEqual({ id: 46, tag: 'mine', seen: { tag: 'theirs' } }));
  });

  it('says that a channel is gone', async () => {
    renderApp('/channel/edit/999', { signedIn: root });
    expect(await screen.findByText('渠道不存在')).toBeTruthy();
  });
});
