import { expect, test } from 'vitest';
import { multiKeyMode, readChannelSetting } from './channel-setting.ts';

test('an empty setting changes nothing, and all channels without one share it', () => {
  const plain = readChannelSetting({});
  expect(readChannelSetting({})).toBe(plain);
  expect(readChannelSetting({ unknown: 1 })).toEqual(plain);
});

test('members are read by their contract names', () => {
  const setting = {
    ...{ proxy: ' socks5://u:p@127.0.0.1:1080 ', thinking_to_content: true, force_format: true },
    ...{ system_prompt: 'be brief', system_prompt_override: true, pass_through_body_enabled: true, hedge_ms: 300 },
    coalesce_ms: 20,
    drain_ms: 5_000,
  };
  expect(readChannelSetting(setting)).toMatchObject({
    ...{ proxy: 'socks5://u:p@127.0.0.1:1080', thinkingToContent: true, forceFormat: true },
    ...{ systemPrompt: 'be brief', systemPromptOverride: true, passThroughBody: true, hedgeMs: 300 },
    coalesceMs: 20,
    drainMs: 5_000,
  });
});

test('only true switches something on, and a time out of range is none', () => {
  const setting = {
    thinking_to_content: 'true',
    force_format: 1,
    system_prompt: 7,
    hedge_ms: 1,
    idle_timeout_ms: 1e12,
    coalesce_ms: 21,
    drain_ms: 5_001,
  };
  expect(readChannelSetting(setting)).toEqual(readChannelSetting({}));
});

test('a proxy of the wrong kind is kept, so that calls fail instead of going out without it', () => {
  expect(readChannelSetting({ proxy: 7 }).proxy).toBe('7');
  expect(readChannelSetting({ proxy: '  ' }).proxy).toBeUndefined();
  expect(readChannelSetting({ proxy: null }).proxy).toBeUndefined();
});

test('a setting that is no object asks for no mode', () => {
  expect(['', '{', '[]', 'null', '{"multi_key":"random"}'].map(multiKeyMode)).toEqual([
    ...[undefined, undefined, undefined, undefined],
    'random',
  ]);
});
