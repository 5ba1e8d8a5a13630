import { screen, waitFor, within } from '@testing-library/react';
import { tagUpdate } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { root } from '../../../test/fixtures.ts';
import { ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { mappingFault, tagDraftOf, tagUpdateOf } from './model.ts';

describe('the draft of a tag', () => {
  it('sends only what was filled in; a changed name renames, an empty one dissolves', () => {
    const draft = tagDraftOf('pool');
    expect(tagUpdateOf('pool', draft)).toBeUndefined();
    expect(tagUpdateOf('pool', { ...draft, name: ' lake ' })).toEqual({ tag: 'pool', new_tag: 'lake' });
    expect(tagUpdateOf('pool', { ...draft, name: '' })).toEqual({ tag: 'pool', new_tag: '' });
    const update = tagUpdateOf('pool', { ...draft, models: ['a', 'b'], groups: ['vip'], mapping: '{"a":"b"}' });
    expect(update).toEqual({ tag: 'pool', models: 'a,b', groups: 'vip', model_mapping: '{"a":"b"}' });
    expect(tagUpdate.safeParse(update).success).toBe(true);
  });

  it('takes a JSON object as mapping and nothing else', () => {
    expect([mappingFault(''), mappingFault('{"a":"b"}')]).toEqual([undefined, undefined]);
    for (const text of ['x', '[]', '1']) expect(mappingFault(text)).toBe('模型映射必须是合法的 JSON 格式！');
  });
});

describe('the tag editor', () => {
  it('says when nothing was changed, and fills in the models that are there', async () => {
    const app = renderApp('/channel/tag/pool', {
      signedIn: root,
      override: ({ path, query }) =>
        path === '/api/channel/tag/models' && query.tag === 'pool' ? ok('gpt-4o,o3-mini') : undefined,
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑标签：pool' }));
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    expect(await screen.findByText('没有任何修改！')).toBeTruthy();
    await app.user.click(drawer.getByRole('button', { name: '填入现有模型' }));
    await drawer.findByLabelText('o3-mini');
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    await waitFor(() => expect(app.sent('PUT', '/api/channel/tag')).toEqual([{ tag: 'pool', models: 'gpt-4o,o3-mini' }]));
    await waitFor(() => expect(app.router.state.location.pathname).toBe('/channel'));
  });

  it('says that no channel has the tag, and changes nothing', async () => {
    renderApp('/channel/tag/gone', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel/tag/models' ? ok('') : undefined),
    });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑标签：gone' }));
    expect((await drawer.findByRole('alert')).textContent).toBe('没有渠道带有这个标签');
    expect(drawer.getByRole('button', { name: '保存' }).hasAttribute('disabled')).toBe(true);
  });

  it('asks before it dissolves a tag', async () => {
    const app = renderApp('/channel/tag/pool', { signedIn: root });
    const drawer = within(await screen.findByRole('dialog', { name: '编辑标签：pool' }));
    await app.user.clear(drawer.getByLabelText('标签名称'));
    await app.user.click(drawer.getByRole('button', { name: '保存' }));
    const question = within(await screen.findByRole('dialog', { name: '解散标签「pool」？' }));
    await app.user.click(question.getByRole('button', { name: '解散标签' }));
    await waitFor(() => expect(app.sent('PUT', '/api/channel/tag')).toEqual([{ tag: 'pool', new_tag: '' }]));
  });
});
