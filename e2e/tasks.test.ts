import type { Channel } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { onEachEngine } from './support/engine.ts';
import { movie, picture, startTaskUpstream } from './support/task-upstream.ts';
import { taskWorld } from './support/task-world.ts';
import { eventually } from './support/wait.ts';

onEachEngine((_engine, _open, kit) => {
  const world = taskWorld(kit);

  test('music and lyrics: submitted, polled in one call, charged; each refusal in its words', async () => {
    const before = (await world.root.self()).quota;
    const music = await world.call('POST', '/suno/submit/music', { prompt: 'la la', tags: 'pop' });
    expect(music).toMatchObject({ status: 200, json: { code: 'success', message: '' } });
    expect(world.upstream.submits.at(-1)).toMatchObject({ path: '/suno/submit/MUSIC', body: { mv: 'chirp-v3-0', tags: 'pop' } });
    expect(world.upstream.submits.at(-1)?.headers.authorization).toBe('Bearer suno-key-12345678');
    const id = music.json.data as string;
    const lyrics = (await world.call('POST', '/suno/submit/LYRICS', { prompt: 'sad' })).json.data as string;
    world.upstream.set(id, {
      status: 'SUCCESS',
      progress: '100%',
      start_time: 1_700_000_000,
      data: [{ audio_url: 'https://x/y.mp3' }],
    });
    world.upstream.set(lyrics, { status: 'FAILURE', fail_reason: 'too sad' });
    await eventually(async () =>
      expect((await world.call('GET', `/suno/fetch/${id}`)).json).toMatchObject({
        code: 'success',
        data: {
          task_id: id,
          action: 'MUSIC',
          status: 'SUCCESS',
          progress: '100%',
          start_time: 1_700_000_000,
          data: [{ audio_url: 'https://x/y.mp3' }],
        },
      }),
    );
    await eventually(async () => {
      const { json } = await world.call('POST', '/suno/fetch', { ids: [lyrics], action: 'lyrics' });
      expect(json.data).toMatchObject([{ status: 'FAILURE', fail_reason: 'too sad' }]);
    });
    await world.booksAgree();
    expect((await world.root.self()).quota).toBe(before - 50_000);
    expect((await world.root.logs('type=2&model_name=suno_music'))[0]?.content).toBe(
      '模型固定价格 0.10，分组倍率 1.00，操作 MUSIC',
    );
    expect(
      (await world.root.logs('type=4')).filter(({ content }) => content.startsWith(`异步任务执行失败 ${lyrics}，补偿 `)),
    ).toHaveLength(1);
    const continued = await world.call('POST', '/suno/submit/music', { continue_clip_id: 'c', task_id: id });
    expect(continued.json.code).toBe('success');
    const cases: [path: string, body: object, status: number, code: string][] = [
      ['/suno/submit/dance', {}, 400, 'invalid_request'],
      ['/suno/submit/lyrics', {}, 400, 'prompt_empty'],
      ['/suno/submit/music', { continue_clip_id: 'c' }, 400, 'task_id_empty'],
      ['/suno/submit/music', { continue_clip_id: 'c', task_id: 'nobodys' }, 400, 'task_not_exist'],
    ];
    for (const [path, body, status, code] of cases)
      expect(await world.call('POST', path, body)).toMatchObject({ status, json: { code, data: null } });
    expect(await world.call('GET', '/suno/fetch/nobodys')).toMatchObject({ status: 400, json: { code: 'task_not_exist' } });
    const poor = await world.root.addToken({ name: 'poor', unlimited_quota: false, remain_quota: 10 });
    const refused = await world.call('POST', '/suno/submit/music', { prompt: 'x' }, poor.key);
    expect(refused).toMatchObject({ status: 403, json: { code: 'quota_not_enough' } });
    world.upstream.onSubmit({ body: { code: 'sensitive', message: 'not that', data: null } });
    expect(await world.call('POST', '/suno/submit/music', { prompt: 'x' })).toMatchObject({
      status: 502,
      json: { code: 'sensitive' },
    });
    await eventually(async () => {
      const rows = await world.root.logs('type=5&model_name=suno_music');
      expect(rows.map(({ content, channel, quota }) => [content, channel > 0, quota])).toEqual([
        ['not that', true, 0],
        ['quota_not_enough', false, 0],
      ]);
      expect(rows[0]?.other).toContain('"use_channel":["');
    });
    // The one that continues is still under way.
    const logged = await world.root.call('GET', '/api/task/self?platform=suno&action=MUSIC&status=SUCCESS');
    expect(logged).toMatchObject([{ task_id: id, platform: 'suno', properties: { input: 'la la' }, progress: '100%' }]);
    world.upstream.finishAll();
  }, 60_000);

  test('forbidden words are found in everything that is asked for', async () => {
    const options = { SensitiveWords: 'forbiddenword', CheckSensitiveEnabled: true, CheckSensitiveOnPromptEnabled: true };
    for (const [name, value] of Object.entries(options)) await world.root.setOption(name, value);
    const word = 'a forbiddenword here';
    const cases: [path: string, body: object][] = [
      ['/mj/submit/imagine', { prompt: word }],
      ['/suno/submit/music', { prompt: 'fine', title: word }],
      ['/suno/submit/lyrics', { prompt: word }],
      ['/v1/videos', { prompt: word }],
    ];
    const refused = async ([path, body]: (typeof cases)[number]) => {
      const { status, json } = await world.call('POST', path, body);
      expect([path, status, JSON.stringify(json)]).toEqual([path, 400, expect.stringContaining('sensitive words detected')]);
    };
    await eventually(() => refused(['/v1/videos', { prompt: word }]));
    const seen = world.upstream.submits.length;
    for (const each of cases) await refused(each);
    expect(world.upstream.submits.length).toBe(seen);
    await world.root.setOption('CheckSensitiveEnabled', false);
    world.upstream.finishAll();
    await world.booksAgree();
  }, 30_000);

  test('videos: by the second, polled one by one, their content passes through, and they can be removed', async () => {
    const before = (await world.root.self()).quota;
    const made = await world.call('POST', '/v1/videos', { model: 'sora-2', prompt: 'waves', seconds: '8', size: '1280x720' });
    expect(made).toMatchObject({ status: 200, json: { object: 'video', status: 'queued', model: 'sora-2', seconds: '8' } });
    const id = made.json.id as string;
    expect((await world.root.self()).quota).toBe(before - 8 * 50_000);
    expect(await world.call('GET', `/v1/videos/${id}/content`)).toMatchObject({ status: 400 });
    world.upstream.set(id, { status: 'completed', progress: 100 });
    await eventually(async () =>
      expect((await world.call('GET', `/v1/videos/${id}`)).json).toMatchObject({ id, status: 'completed', progress: 100 }),
    );
    await world.booksAgree();
    expect((await world.root.logs('type=2&model_name=sora-2'))[0]).toMatchObject({
      quota: 400_000,
      content: '模型每秒价格 0.1，分组倍率 1.00，操作 GENERATE，时长 8 秒',
    });
    const content = await fetch(`${world.gateway.url}/v1/videos/${id}/content`, {
      headers: { authorization: `Bearer ${world.key}` },
    });
    expect([content.status, content.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    expect(Buffer.from(await content.arrayBuffer()).equals(movie)).toBe(true);
    // What is paid for can be fetched, also once its channel takes no new ones.
    const channels = await world.root.call<Channel[]>('GET', '/api/channel/?p=0&page_size=100');
    const maker = channels.find(({ models }) => models.includes('sora-2')) ?? expect.fail();
    const serves = async () => JSON.stringify((await world.call('GET', '/v1/models')).json).includes('"sora-2"');
    await world.root.call('PUT', '/api/channel/', { id: maker.id, status: 2 });
    await eventually(async () => expect(await serves()).toBe(false));
    const kept = await fetch(content.url, { headers: { authorization: `Bearer ${world.key}` } });
    expect([kept.status, (await kept.arrayBuffer()).byteLength]).toEqual([200, movie.length]);
    await world.root.call('PUT', '/api/channel/', { id: maker.id, status: 1 });
    await eventually(async () => expect(await serves()).toBe(true));
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: 'sora-2', prompt: 'a form', seconds: '4' })) form.set(name, value);
    form.set('input_reference', new Blob([picture], { type: 'image/png' }), 'first.png');
    const posted = await fetch(`${world.gateway.url}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}` },
      body: form,
    });
    const second = ((await posted.json()) as { id: string }).id;
    expect(world.upstream.submits.at(-1)?.headers['content-type']).toMatch(/^multipart\/form-data/);
    world.upstream.set(second, { status: 'failed', error: { code: 'moderation', message: 'not that' } });
    await eventually(async () =>
      expect((await world.call('GET', `/v1/videos/${second}`)).json).toMatchObject({
        status: 'failed',
        error: { message: 'not that' },
      }),
    );
    const list = (await world.call('GET', '/v1/videos?limit=1')).json;
    expect(list).toMatchObject({ object: 'list', data: [{ id: second }], has_more: true, first_id: second, last_id: second });
    expect((await world.call('GET', `/v1/videos?limit=1&after=${second}`)).json).toMatchObject({
      data: [{ id }],
      has_more: false,
    });
    const longer = { prompt: 'bluer', seconds: '12', size: '1792x1024' };
    const remix = await world.call('POST', `/v1/videos/${id}/remix`, longer);
    expect(world.upstream.submits.at(-1)).toMatchObject({ path: `/v1/videos/${id}/remix`, body: { prompt: 'bluer' } });
    world.upstream.forget(remix.json.id);
    await eventually(async () =>
      expect((await world.call('GET', `/v1/videos/${remix.json.id}`)).json).toMatchObject({ status: 'failed' }),
    );
    expect((await world.call('DELETE', `/v1/videos/${id}`)).json).toEqual({ id, object: 'video.deleted', deleted: true });
    expect(await world.root.call('GET', `/api/task/self?task_id=${id}`)).toEqual([]);
    expect(await world.call('GET', `/v1/videos/${id}`)).toMatchObject({
      status: 404,
      json: { error: { code: 'video_not_found' } },
    });
    for (const seconds of ['0', '4.5', '601', 'x'])
      expect((await world.call('POST', '/v1/videos', { prompt: 'x', seconds })).status).toBe(400);
    form.append('seconds', '12');
    const seen = world.upstream.submits.length;
    const twice = await fetch(`${world.gateway.url}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}` },
      body: form,
    });
    expect([twice.status, await twice.text(), world.upstream.submits.length]).toEqual([
      400,
      expect.stringContaining('duplicate field'),
      seen,
    ]);
    await world.booksAgree();
    expect((await world.root.self()).quota).toBe(before - 8 * 50_000);
  }, 60_000);

  test('a model without a price is refused in every family, before any upstream hears of it', async () => {
    await world.root.addChannel({ type: 1, name: 'unpriced', base_url: world.upstream.url, models: 'video-without-price' });
    const seen = world.upstream.submits.length;
    await eventually(async () => {
      const said = await world.call('POST', '/v1/videos', { model: 'video-without-price', prompt: 'x' });
      expect(said).toMatchObject({ status: 500, json: { error: { code: 'model_price_error' } } });
    });
    expect(world.upstream.submits.length).toBe(seen);
  }, 30_000);

  test('where one key of several is refused, another of the same channel is tried, as for any call', async () => {
    const other = await startTaskUpstream('spare');
    const channel = { type: 36, name: 'several', base_url: other.url, models: 'suno_music', priority: 100 };
    const { id } = await world.root.addChannel({
      ...{ ...channel, key: 'suno-key-00000001\nsuno-key-00000002', setting: '{"multi_key":"random"}' },
    });
    other.onSubmit({ status: 401, body: { code: 'unauthorized', message: 'no such key', data: null } });
    await eventually(async () => {
      expect((await world.call('POST', '/suno/submit/music', { prompt: 'x' })).json.code).toBe('success');
      expect(other.submits.length).toBeGreaterThan(0);
    });
    expect(new Set(other.submits.map(({ headers }) => headers.authorization)).size).toBe(2);
    other.finishAll();
    world.upstream.finishAll();
    await world.booksAgree(15_000);
    await world.root.call('DELETE', `/api/channel/${id}`);
    await other.close();
  }, 30_000);

  test('where an account can do nothing more, another channel is asked, whatever its status, as for any call', async () => {
    const other = await startTaskUpstream('spent');
    const spent = { base_url: other.url, key: 'spent-key-12345678', priority: 100 };
    const filming = await world.root.addChannel({ ...spent, name: 'spent films', type: 1, models: 'sora-2' });
    const singing = await world.root.addChannel({ ...spent, name: 'spent songs', type: 36, models: 'suno_music' });
    const message = 'You exceeded your current quota, please check your plan.';
    await eventually(async () => {
      other.onSubmit({ status: 400, body: { error: { message, type: 'invalid_request_error', code: 'billing' } } });
      const said = await world.call('POST', '/v1/videos', { prompt: 'x' });
      expect(said).toMatchObject({ status: 200, json: { status: 'queued' } });
      world.upstream.set(said.json.id, { status: 'completed' });
      // Four seconds are what it is held for.
      const submit = expect.objectContaining({ path: '/v1/videos', body: expect.objectContaining({ seconds: '4' }) });
      expect(other.submits).toContainEqual(submit);
    });
    await eventually(async () => {
      other.onSubmit({ body: { code: 'refused', message, data: null } });
      const said = await world.call('POST', '/suno/submit/music', { prompt: 'x' });
      expect(said).toMatchObject({ status: 200, json: { code: 'success' } });
      expect(other.submits.map(({ path }) => path)).toContain('/suno/submit/MUSIC');
    });
    for (const { id } of [filming, singing]) await world.root.call('DELETE', `/api/channel/${id}`);
    other.finishAll();
    world.upstream.finishAll();
    await world.booksAgree(15_000);
    await other.close();
  }, 30_000);

  test('upstreams that break, talk nonsense or say no: nothing is charged, and the caller hears why', async () => {
    const before = (await world.root.self()).quota;
    await world.root.setOption('RetryTimes', 0);
    const submit = () => world.call('POST', '/mj/submit/imagine', { prompt: 'trouble' });
    world.upstream.onSubmit(
      { cut: true },
      { text: 'oops' },
      { text: '[]' },
      { status: 500, body: { description: 'down' } },
      { body: { code: 1 } },
    );
    for (let k = 0; k < 4; k += 1) expect([k, (await submit()).status < 500]).toEqual([k, true]);
    expect(await submit()).toMatchObject({ status: 200, json: { code: 5, description: 'the answer names no task' } });
    world.upstream.onSubmit({ body: { code: 'success', message: '', data: null } });
    const nameless = await world.call('POST', '/suno/submit/music', { prompt: 'x' });
    expect(nameless).toMatchObject({ status: 502, json: { code: 'bad_response', data: null } });
    const id = await world.imagine('through bad polls');
    world.upstream.onPoll({ cut: true }, { text: 'nonsense' }, { body: [{ id: 5 }, null, 'x'] });
    world.upstream.set(id, { status: 'SUCCESS' });
    await eventually(async () => expect(await world.drawing(id)).toMatchObject({ status: 'SUCCESS' }), 45_000);
    await world.root.setOption('RetryTimes', 2);
    await world.booksAgree();
    expect((await world.root.self()).quota).toBe(before - 50_000);
  }, 90_000);
});
