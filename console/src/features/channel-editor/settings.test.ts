import { channelTypes } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { channelOf } from '../../../test/fixtures.ts';
import { draftOf, newDraft, toChange, toInput } from './draft.ts';
import { chosenModels, diffOf, fetchSource } from './model-diff.ts';
import { firstSettingFault, multiKeyOf, withSetting } from './settings.ts';
import { describeType } from './types/index.ts';

describe('the fields over the extra settings', () => {
  it('set and take out one member and leave the others alone', () => {
    const text = withSetting('{"proxy":"http://a","own":[1]}', 'hedge_ms', 500);
    expect(JSON.parse(text)).toEqual({ proxy: 'http://a', own: [1], hedge_ms: 500 });
    expect(JSON.parse(withSetting(text, 'proxy', undefined))).toEqual({ own: [1], hedge_ms: 500 });
    expect(withSetting('{"hedge_ms":500}', 'hedge_ms', undefined)).toBe('');
  });

  it('never touch a text that they cannot read', () => {
    expect(withSetting('{broken', 'hedge_ms', 500)).toBe('{broken');
    expect(multiKeyOf('{broken')).toBeUndefined();
  });

  it('refuse times and proxies that the server would ignore', () => {
    expect(firstSettingFault('{"idle_timeout_ms": 10, "proxy": "socks5://10.0.0.1:1080"}')).toBeUndefined();
    expect(firstSettingFault('{"idle_timeout_ms": 9}')).toContain('idle_timeout_ms');
    expect(firstSettingFault('{"hedge_ms": "soon"}')).toContain('hedge_ms');
    expect(firstSettingFault('{"proxy": "ftp://x"}')).toContain('代理地址');
  });

  it('count as unchanged when only the layout of the JSON differs', () => {
    const channel = channelOf({ id: 3, name: 'a', setting: '{"hedge_ms":500}' });
    expect(toChange({ ...draftOf(channel), setting: '{\n  "hedge_ms": 500\n}' }, channel)).toEqual({});
    expect(Object.keys(toChange({ ...draftOf(channel), setting: '{"hedge_ms":501}' }, channel))).toEqual(['setting', 'seen']);
  });
});

describe('the special field of a type', () => {
  it('is sent with the standard of its type when left empty', () => {
    expect(toInput({ ...newDraft(), type: 18 }).other).toBe('v2.1');
    expect(toInput({ ...newDraft(), type: 18, other: 'v4.0' }).other).toBe('v4.0');
    expect(toInput({ ...newDraft(), type: 1 }).other).toBe('');
  });

  it('is asked for exactly by the types whose table line has it', () => {
    for (const facts of channelTypes) expect(describeType(facts.type).other !== undefined, facts.label).toBe(!!facts.other);
    expect(describeType(21).other?.label()).toBe('知识库 ID');
    expect(describeType(39).other?.label()).toBe('账户 ID');
    expect(describeType(41).other?.json).toBe(true);
  });
});

describe('the list of an upstream', () => {
  it('is asked for with what is typed, and with the stored key only at the stored address', () => {
    const channel = channelOf({ id: 3, type: 1, base_url: 'https://a.example' });
    const draft = draftOf(channel);
    expect(fetchSource(draft, channel)).toEqual({ id: 3 });
    expect(fetchSource({ ...draft, baseUrl: 'https://a.example/' }, channel)).toEqual({ id: 3 });
    expect(fetchSource({ ...draft, baseUrl: 'https://b.example' }, channel)).toContain('密钥');
    expect(fetchSource({ ...draft, type: 8 }, channel)).toContain('密钥');
    const words = { organization: 'org-1', other: 'o', setting: '{}', headerOverride: '{"x-a":"b"}' };
    const typed = { keys: 'k1\nk2', baseUrl: 'https://b.example/', ...words };
    expect(fetchSource({ ...draft, ...typed }, channel)).toEqual({
      ...{ type: 1, base_url: 'https://b.example', key: 'k1', openai_organization: 'org-1', other: 'o' },
      ...{ setting: '{}', header_override: '{"x-a":"b"}' },
    });
    expect(fetchSource(newDraft(), undefined)).toContain('密钥');
  });

  it('is compared by the names that requests are redirected to', () => {
    const diff = diffOf(['alias', 'kept', 'lost'], ['real', 'kept', 'fresh'], '{"alias": "real"}');
    expect(diff).toEqual({ new: ['fresh'], existing: ['alias', 'kept'], gone: ['lost'] });
    expect(chosenModels(['alias', 'kept', 'lost'], diff, new Set(['alias', 'fresh']))).toEqual(['alias', 'fresh']);
  });
});
