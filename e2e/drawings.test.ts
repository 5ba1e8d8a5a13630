import type { Channel } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { signIn } from './support/console-client.ts';
import { onEachEngine } from './support/engine.ts';
import { startTaskUpstream } from './support/task-upstream.ts';
import { taskWorld } from './support/task-world.ts';
import { eventually } from './support/wait.ts';

onEachEngine((_engine, _open, kit) => {
  const world = taskWorld(kit);

  test('a drawing is held for when it is submitted and charged when it is done, with the text of the contract', async () => {
    const before = (await world.root.self()).quota;
    const id = await world.imagine('a cat');
    expect((await world.root.self()).quota).toBe(before - 50_000);
    expect(world.upstream.submits.at(-1)).toMatchObject({ path: '/mj/submit/imagine', body: { prompt: 'a cat' } });
    expect(world.upstream.submits.at(-1)?.headers['mj-api-secret']).toBe('mj-key-12345678');
    expect(await world.drawing(id)).toMatchObject({ id, action: 'IMAGINE', status: 'SUBMITTED', progress: '0%', imageUrl: '' });
    world.upstream.set(id, { status: 'IN_PROGRESS', progress: '40%', imageUrl: 'https://cdn.discordapp.com/pic.png' });
    await eventually(async () => expect(await world.drawing(id)).toMatchObject({ status: 'IN_PROGRESS', progress: '40%' }));
    expect((await world.drawing(id)).imageUrl).toMatch(/^http:.*\/mj\/image\/[0-9A-Za-z]{24}\?rand=\d+$/);
    const proxied = await fetch(`${world.gateway.url}/mj/task/${id}/fetch`, {
      headers: { 'mj-api-secret': world.key, 'x-forwarded-proto': 'https' },
    });
    expect(await proxied.json()).toMatchObject({ imageUrl: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/mj\/image\//) });
    expect(await world.root.logs('type=2&model_name=mj_imagine')).toEqual([]);
    await world.finish(id, { buttons: [{ customId: 'MJ::JOB::upsample::1::x', emoji: '', label: 'U1', type: 2, style: 2 }] });
    await eventually(async () => expect(await world.root.logs('type=2&model_name=mj_imagine')).toHaveLength(1));
    const [row] = await world.root.logs('type=2&model_name=mj_imagine');
    expect(row).toMatchObject({ quota: 50_000, content: `模型固定价格 0.10，分组倍率 1.00，操作 IMAGINE，ID ${id}` });
    expect((await world.root.self()).quota).toBe(before - 50_000);
    expect((await world.drawing(id)).buttons).toHaveLength(1);
    await world.booksAgree();
  }, 30_000);

  test('a failed drawing gives everything back, once, and says so with quota 0', async () => {
    const before = (await world.root.self()).quota;
    const id = await world.imagine();
    world.upstream.set(id, { status: 'FAILURE', progress: '30%', failReason: 'banned' });
    await eventually(async () =>
      expect(await world.drawing(id)).toMatchObject({ status: 'FAILURE', progress: '100%', failReason: 'banned' }),
    );
    await eventually(async () => expect((await world.root.self()).quota).toBe(before));
    await eventually(async () => {
      const rows = (await world.root.logs('type=4')).filter(({ content }) => content.startsWith(`构图失败 ${id}，补偿 `));
      expect(rows.map(({ quota }) => quota)).toEqual([0]);
    });
    await world.booksAgree();
  }, 30_000);

  test('every submit of the drawing protocol reaches its path and is billed as its model', async () => {
    const parent = await world.imagine();
    await world.finish(parent);
    const base64Array = ['data:image/png;base64,AAAA', 'data:image/png;base64,BBBB'];
    const button = (name: string) => `MJ::JOB::${name}::2::5c1b`;
    const cases: [path: string, body: object, action: string, upstreamPath?: string][] = [
      ['/submit/change', { taskId: parent, action: 'UPSCALE', index: 1 }, 'UPSCALE'],
      ['/submit/change', { taskId: parent, action: 'REROLL' }, 'REROLL'],
      ['/submit/simple-change', { content: `${parent} V3` }, 'VARIATION'],
      ['/submit/simple-change', { content: `${parent} R` }, 'REROLL'],
      ['/submit/action', { taskId: parent, customId: button('upsample') }, 'UPSCALE'],
      ['/submit/action', { taskId: parent, customId: 'MJ::Outpaint::50::1::5c1b' }, 'ZOOM'],
      ['/submit/action', { taskId: parent, customId: 'MJ::Inpaint::1::5c1b' }, 'INPAINT'],
      ['/submit/modal', { taskId: parent, prompt: 'a dog', maskBase64: 'AAAA' }, 'MODAL'],
      ['/submit/shorten', { prompt: 'a very long prompt' }, 'SHORTEN'],
      ['/submit/describe', { base64: 'data:image/png;base64,AAAA' }, 'DESCRIBE'],
      ['/submit/blend', { base64Array }, 'BLEND'],
      ['/insight-face/swap', { sourceBase64: 'AAAA', targetBase64: 'BBBB' }, 'SWAP_FACE'],
    ];
    for (const [path, body, action] of cases) {
      const said = await world.call('POST', `/mj${path}`, body);
      expect([path, said.status, said.json.code]).toEqual([path, 200, 1]);
      expect(world.upstream.submits.at(-1)).toMatchObject({ path: `/mj${path}`, body });
      expect(await world.drawing(said.json.result)).toMatchObject({ action });
      world.upstream.set(said.json.result, { status: 'SUCCESS' });
    }
    const [first] = await world.root.call<{ action: string; quota: number; status: string }[]>('GET', '/api/mj/self?p=0');
    expect(first).toMatchObject({ action: 'SWAP_FACE', quota: 25_000 });
    await world.booksAgree(15_000);
    const swapped = (await world.root.logs('type=2&model_name=swap_face'))[0];
    expect(swapped?.content).toBe('模型固定价格 0.05，分组倍率 1.00，操作 SWAP_FACE');
    expect(await world.root.logs('type=2&model_name=mj_inpaint')).toMatchObject([{ quota: 0 }]);
  }, 60_000);

  test('an upload is done at once, and answers with a list', async () => {
    const urls = ['https://cdn.discordapp.com/pic.png'];
    world.upstream.onSubmit({ body: { code: 1, description: 'ok', result: urls } });
    const said = await world.call('POST', '/mj/submit/upload-discord-images', { base64Array: ['data:image/png;base64,AAAA'] });
    expect(said).toMatchObject({ status: 200, json: { code: 1, result: urls } });
    const [row] = await world.root.call<{ action: string; status: string; progress: string }[]>('GET', '/api/mj/self?p=0');
    expect(row).toMatchObject({ action: 'UPLOAD', status: 'SUCCESS', progress: '100%' });
    await world.booksAgree();
  }, 30_000);

  test('each code of a submit: what is accepted is told as 1, what is refused as it is, and busy as 429', async () => {
    const before = (await world.root.self()).quota;
    const submit = () => world.call('POST', '/mj/submit/imagine', { prompt: 'codes' });
    const latest = async () => (await world.root.call<Record<string, unknown>[]>('GET', '/api/mj/self?p=0'))[0];
    world.upstream.onSubmit({ body: { code: 22, description: 'queued', result: 'q1', properties: { numberOfQueues: 3 } } });
    expect((await submit()).json).toMatchObject({ code: 1, result: 'q1', properties: { numberOfQueues: 3 } });
    expect(await latest()).toMatchObject({ code: 22, mj_id: 'q1', progress: '0%' });
    const imageUrl = 'https://cdn.discordapp.com/pic.png';
    world.upstream.onSubmit({
      body: { code: 21, description: 'exists', result: 'x1', properties: { status: 'SUCCESS', imageUrl } },
    });
    expect((await submit()).json).toMatchObject({ code: 1, result: 'x1' });
    expect(await latest()).toMatchObject({ code: 21, status: 'SUCCESS', progress: '100%' });
    for (const code of [24, 3, 23, 4, 5]) {
      world.upstream.onSubmit({ body: { code, description: `no ${code}` } });
      expect((await submit()).json).toMatchObject({ code, description: `no ${code}` });
      expect(await latest()).toMatchObject({ code, status: 'FAILURE', progress: '100%', fail_reason: `no ${code}`, mj_id: '' });
    }
    const button = { taskId: 'x1', customId: 'MJ::Inpaint::1::5c1b' };
    world.upstream.onSubmit({ body: { code: 21, description: 'waits', result: 'm1', properties: { status: 'MODAL' } } });
    expect((await world.call('POST', '/mj/submit/action', button)).json).toMatchObject({ code: 21, result: 'm1' });
    expect(await latest()).toMatchObject({ action: 'INPAINT', status: 'MODAL', quota: 0 });
    world.upstream.onSubmit({ body: { code: 1, description: 'ok', result: 'm1' } });
    expect((await world.call('POST', '/mj/submit/modal', { taskId: 'm1', prompt: 'x' })).json).toMatchObject({ code: 1 });
    world.upstream.set('m1', { id: 'm1', status: 'SUCCESS' });
    world.upstream.onSubmit({ body: { code: 30, description: 'busy' } });
    const busy = await submit();
    expect(busy).toMatchObject({ status: 429, json: { type: 'upstream_error', code: 30 } });
    world.upstream.set('q1', { id: 'q1', status: 'SUCCESS' });
    await world.booksAgree();
    // Two were drawn, and one was changed in a window of its own.
    expect((await world.root.self()).quota).toBe(before - 3 * 50_000);
  }, 30_000);

  test('what is wrong with a submit is told in the words of the protocol, and holds nothing', async () => {
    const before = (await world.root.self()).quota;
    const seen = world.upstream.submits.length;
    const cases: [path: string, body: object, word: string][] = [
      ['/submit/imagine', {}, 'prompt_is_required'],
      ['/submit/change', {}, 'task_id_is_required'],
      ['/submit/change', { taskId: 'x' }, 'action_is_required'],
      ['/submit/change', { taskId: 'x', action: 'UPSCALE' }, 'index_is_required'],
      ['/submit/simple-change', {}, 'content_is_required'],
      ['/submit/simple-change', { content: 'x U9' }, 'content_parse_failed'],
      ['/submit/action', { taskId: 'x' }, 'custom_id_is_required'],
      ['/submit/action', { taskId: 'x', customId: 'MJ::JOB::dance::1' }, 'unknown_action'],
      ['/submit/action', { taskId: 'x', customId: 'MJ::JOB::upsample::x' }, 'index_parse_failed'],
      ['/submit/action', { taskId: 'nobodys', customId: 'MJ::JOB::upsample::1' }, 'task_not_found'],
      ['/insight-face/swap', { sourceBase64: 'A' }, 'sour_base64_and_target_base64_is_required'],
    ];
    for (const [path, body, description] of cases)
      expect(await world.call('POST', `/mj${path}`, body)).toEqual({
        status: 400,
        json: { description, type: 'upstream_error', code: 4 },
      });
    expect(await world.call('GET', '/mj/task/nobodys/fetch')).toMatchObject({
      status: 400,
      json: { description: 'task_no_found' },
    });
    const poor = await world.root.addToken({ name: 'poor', unlimited_quota: false, remain_quota: 10 });
    const refused = await world.call('POST', '/mj/submit/imagine', { prompt: 'x' }, poor.key);
    expect(refused).toMatchObject({ status: 400, json: { description: 'quota_not_enough', code: 4 } });
    expect(await world.call('POST', '/mj/submit/imagine', { prompt: 'x' }, 'sk-nobody')).toMatchObject({
      status: 401,
      json: { error: { type: 'new_api_error' } },
    });
    expect(world.upstream.submits.length).toBe(seen);
    expect((await world.root.self()).quota).toBe(before);
    await world.booksAgree();
  }, 30_000);

  test('another user sees nothing of a drawing and goes on from none', async () => {
    const id = await world.imagine();
    await world.finish(id);
    await world.root.call('POST', '/api/user/', { username: 'stranger', password: 'correct-horse-battery', display_name: 'S' });
    const stranger = await signIn(world.gateway.url, 'stranger', 'correct-horse-battery');
    const { key: other } = await stranger.addToken({ name: 'other' });
    expect(await world.call('GET', `/mj/task/${id}/fetch`, undefined, other)).toMatchObject({ status: 400 });
    expect((await world.call('POST', '/mj/task/list-by-condition', { ids: [id] }, other)).json).toEqual([]);
    const change = { taskId: id, action: 'UPSCALE', index: 1 };
    expect((await world.call('POST', '/mj/submit/change', change, other)).json).toMatchObject({ description: 'task_not_found' });
    expect(await stranger.call('GET', `/api/mj/self?ids=${id}`)).toEqual([]);
    expect((await world.call('POST', '/mj/task/list-by-condition', { ids: [id] })).json).toMatchObject([{ id }]);
    expect(await world.root.call('GET', `/api/mj/?ids=${id}`)).toMatchObject([{ mj_id: id, channel_id: expect.any(Number) }]);
  }, 30_000);

  test('follow-ups go to the channel of their parent, and wait for its success', async () => {
    const second = await startTaskUpstream('other');
    const channel = await world.root.addChannel({
      type: 2,
      name: 'second',
      base_url: second.url,
      models: 'mj_reroll',
      priority: 100,
      key: 'mj-key-87654321',
    });
    const id = await world.imagine();
    const change = { taskId: id, action: 'REROLL' };
    expect((await world.call('POST', '/mj/submit/change', change)).json).toMatchObject({
      description: 'task_status_not_success',
    });
    await world.root.setOption('MjActionCheckSuccessEnabled', false);
    await eventually(async () => expect((await world.call('POST', '/mj/submit/change', change)).json.code).toBe(1));
    await world.root.setOption('MjActionCheckSuccessEnabled', true);
    await world.finish(id);
    await eventually(async () => expect((await world.call('POST', '/mj/submit/change', change)).json.code).toBe(1));
    expect(second.submits).toEqual([]);
    const [mine] = await world.root.call<{ channel_id: number }[]>('GET', `/api/mj/?ids=${id}`);
    await world.root.call('PUT', '/api/channel/', { id: mine?.channel_id, status: 2 });
    await eventually(async () =>
      expect((await world.call('POST', '/mj/submit/change', change)).json).toMatchObject({
        description: '该任务所属渠道已被禁用',
      }),
    );
    await world.root.call('PUT', '/api/channel/', { id: mine?.channel_id, status: 1 });
    await world.root.call('DELETE', `/api/channel/${channel.id}`);
    await eventually(async () => expect((await world.call('POST', '/mj/submit/change', change)).json.code).toBe(1));
    for (const { path } of world.upstream.submits) expect(path).toMatch(/^\/(mj|suno|v1)/);
    world.upstream.finishAll();
    await world.booksAgree(15_000);
    await second.close();
  }, 60_000);

  test('modes: of the token first, then of the path, and as a path of the upstream', async () => {
    await world.call('POST', '/mj-fast/mj/submit/imagine', { prompt: 'quick' });
    expect(world.upstream.submits.at(-1)?.path).toBe('/mj-fast/mj/submit/imagine');
    const relaxed = await world.root.addToken({ name: 'relaxed', mj_mode: 'relax' });
    await world.call('POST', '/mj-fast/mj/submit/imagine', { prompt: 'slow' }, relaxed.key);
    expect(world.upstream.submits.at(-1)?.path).toBe('/mj-relax/mj/submit/imagine');
    expect((await world.call('POST', '/mj-wild/mj/submit/imagine', { prompt: 'x' })).status).toBe(404);
    world.upstream.finishAll();
  }, 30_000);

  test('what callers may decide is the operator’s choice: hooks, accounts, flags in prompts', async () => {
    const body = { prompt: 'a cat --fast --ar 1:1', notifyHook: 'https://example.com/h', accountFilter: { instanceId: '1' } };
    await world.call('POST', '/mj/submit/imagine', body);
    expect(world.upstream.submits.at(-1)?.body).toEqual({ prompt: 'a cat --fast --ar 1:1' });
    for (const option of ['MjNotifyEnabled', 'MjAccountFilterEnabled', 'MjModeClearEnabled'])
      await world.root.setOption(option, true);
    await eventually(async () => {
      await world.call('POST', '/mj/submit/imagine', body);
      expect(world.upstream.submits.at(-1)?.body).toEqual({ ...body, prompt: 'a cat --ar 1:1' });
    });
    for (const option of ['MjNotifyEnabled', 'MjAccountFilterEnabled', 'MjModeClearEnabled'])
      await world.root.setOption(option, false);
    world.upstream.finishAll();
  }, 30_000);

  test('pictures: through the proxy under a random name, never as a page, as the token wants them', async () => {
    const id = await world.imagine();
    await world.finish(id);
    const { imageUrl } = await world.drawing(id);
    expect(imageUrl).toMatch(new RegExp(`^${world.gateway.url}/mj/image/[0-9A-Za-z]{24}$`));
    const shown = await fetch(imageUrl);
    expect([shown.status, shown.headers.get('content-type'), shown.headers.get('x-content-type-options')]).toEqual([
      200,
      'image/png',
      'nosniff',
    ]);
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect((await shown.arrayBuffer()).byteLength).toBeGreaterThan(60);
    expect(await world.call('GET', `/mj/image/${id}`)).toEqual({ status: 400, json: { error: 'midjourney_task_not_found' } });
    for (const bad of ['https://cdn.discordapp.com/page', 'https://cdn.discordapp.com/drawn.svg', 'http://127.0.0.1:1/pic.png']) {
      const other = await world.imagine();
      await world.finish(other, { imageUrl: bad });
      const answer = await fetch((await world.drawing(other)).imageUrl);
      expect([bad, answer.status, await answer.json()]).toEqual([bad, 500, { error: 'http_get_image_failed' }]);
    }
    const origin = await world.root.addToken({ name: 'origin', mj_image_mode: 'origin' });
    const custom = await world.root.addToken({
      name: 'custom',
      mj_image_mode: 'custom',
      mj_image_host: 'https://img.example.com/',
    });
    const as = async (token: string) => (await world.call('GET', `/mj/task/${id}/fetch`, undefined, token)).json.imageUrl;
    expect(await as(origin.key)).toBe('https://cdn.discordapp.com/pic.png');
    expect(await as(custom.key)).toBe('https://img.example.com/pic.png');
    await world.root.setOption('MjForwardUrlEnabled', false);
    await eventually(async () => expect((await world.drawing(id)).imageUrl).toBe('https://cdn.discordapp.com/pic.png'));
    await world.root.setOption('MjForwardUrlEnabled', true);
    expect((await world.call('GET', `/mj/task/${id}/image-seed`)).json).toMatchObject({ code: 1, result: '1234567890' });
  }, 60_000);

  test('a notification is believed only as far as the upstream confirms it', async () => {
    const id = await world.imagine('notified');
    world.upstream.set(id, { status: 'SUCCESS', progress: '100%' });
    await world.upstream.notify(`${world.gateway.url}/mj/notify`, id);
    await eventually(async () => expect(await world.drawing(id)).toMatchObject({ status: 'SUCCESS' }));
    const lied = await world.imagine('lied about');
    const lie = await world.call('POST', '/mj/notify', { id: lied, status: 'FAILURE', failReason: 'forged', progress: '100%' });
    expect(lie.json).toEqual((await world.call('POST', '/mj/notify', { id: lied, status: 'SUCCESS' })).json);
    expect((await world.call('POST', '/mj/notify', { id: 'x'.repeat(9_000) })).status).toBe(413);
    const polls = world.upstream.polls.length;
    await eventually(() => expect(world.upstream.polls.slice(polls).flat()).toContain(lied));
    expect(await world.drawing(lied)).toMatchObject({ status: 'SUBMITTED' });
    await world.finish(lied);
    await world.booksAgree(15_000);
  }, 30_000);

  test('a channel without accounts, or with a full queue, is passed over; one without accounts is switched off', async () => {
    await world.root.setOption('AutomaticDisableChannelEnabled', true);
    for (const code of [23, 30, 3]) {
      // Each has a channel of its own: one that has refused rests for a while.
      const other = await startTaskUpstream('spare');
      other.alwaysOnSubmit({ body: { code, description: `no ${code}` } });
      const { id } = await world.root.addChannel({
        ...{ type: 2, name: 'first choice', base_url: other.url, models: 'mj_imagine', priority: 100, key: 'mj-key-00000002' },
      });
      await eventually(async () => {
        expect((await world.call('POST', '/mj/submit/imagine', { prompt: 'anywhere' })).json).toMatchObject({ code: 1 });
        expect(other.submits.length).toBeGreaterThan(0);
      }, 15_000);
      if (code === 3)
        await eventually(async () => {
          const { status, other_info } = await world.root.call<Channel>('GET', `/api/channel/${id}`);
          expect([status, other_info]).toEqual([3, expect.stringContaining('No available account instance')]);
        });
      await world.root.call('DELETE', `/api/channel/${id}`);
      await other.close();
    }
    world.upstream.finishAll();
    await world.booksAgree(15_000);
    await world.root.setOption('AutomaticDisableChannelEnabled', false);
  }, 60_000);
});
