import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import type { PriceSnapshot, Usage } from '../billing/index.ts';
import { logContent, logFields } from './log-texts.ts';
import { plainUsage } from './usage.ts';

const nano = 1_000_000_000;
const chat: PriceSnapshot = { ...plainPrice, modelRatioNano: 1.25 * nano, completionRatioNano: 4 * nano };
const sound: PriceSnapshot = { ...chat, audioRatioNano: 20 * nano, audioCompletionRatioNano: 2 * nano };
const used = (counts: Partial<Usage>): Usage => ({ ...plainUsage(100, 50, 'upstream'), ...counts });
const content = (price: PriceSnapshot, usage: Usage) => logContent(price, usage, undefined);
const fields = (price: PriceSnapshot, usage: Usage) => JSON.parse(`{${logFields(price, usage)}}`) as Record<string, unknown>;

test('words of text, of a fixed price, of pictures and of calls that gave nothing', () => {
  expect(content(chat, used({}))).toBe('模型倍率 1.25，补全倍率 4.00，分组倍率 1.00');
  const fixed: PriceSnapshot = { ...plainPrice, kind: 'call', callPriceNano: 0.04 * nano };
  expect(content(fixed, used({}))).toBe('模型价格 0.04，分组倍率 1.00');
  const cheap: PriceSnapshot = { ...plainPrice, modelRatioNano: 0.075 * nano, groupRatioNano: 0.125 * nano };
  expect(content(cheap, used({}))).toMatch(/^模型倍率 0\.075，.*，分组倍率 0\.125$/);
  expect(content({ ...fixed, callPriceNano: 2_000 }, used({}))).toBe('模型价格 0.000002，分组倍率 1.00');
  const picture = { size: '1792x1024', quality: 'hd', count: 4 };
  expect(logContent(fixed, used({ prompt: 0, completion: 0 }), picture)).toBe(
    '模型价格 0.04，分组倍率 1.00, 大小 1792x1024, 品质 hd',
  );
  expect(content(chat, used({ prompt: 0, completion: 0 }))).toBe('模型倍率 1.25，补全倍率 4.00，分组倍率 1.00（可能是上游超时）');
});

test('both numbers are told where fewer pictures came than were asked for', () => {
  const fixed: PriceSnapshot = { ...plainPrice, kind: 'call', callPriceNano: 0.04 * nano };
  const fewer = used({ prompt: 0, completion: 0, unitsNano: 2 * nano, picturesAsked: 4, pictures: 2 });
  expect(logContent(fixed, fewer, { size: '1024x1024', quality: 'standard', count: 4 })).toBe(
    '模型价格 0.04，分组倍率 1.00, 大小 1024x1024, 品质 standard，请求图片 4，交付图片 2',
  );
  expect(fields(fixed, fewer)).toMatchObject({ pictures_asked: 4, pictures_delivered: 2 });
  expect(fields(fixed, used({}))).not.toHaveProperty('pictures_asked');
});

test('sound is told of where it was heard or spoken and has a price of its own', () => {
  const heard = used({ audioPrompt: 80, audioCompletion: 30 });
  expect(content(sound, heard)).toBe('模型倍率 1.25，补全倍率 4.00，音频倍率 20.00，音频补全倍率 2.00，分组倍率 1.00');
  expect(fields(sound, heard)).toMatchObject({
    ...{ audio: true, audio_input: 80, audio_output: 30, text_input: 20, text_output: 20 },
    ...{ audio_ratio: 20, audio_completion_ratio: 2 },
  });
  expect(content(sound, used({}))).toBe(content(chat, used({})));
  expect(fields(chat, heard)).not.toHaveProperty('audio');
});

test('what was written into a cache stands with its ratio, what stays for an hour too', () => {
  const lasting: PriceSnapshot = { ...chat, cacheWriteRatioNano: 1.25 * nano, cacheWrite1hRatioNano: 2 * nano };
  expect(fields(lasting, used({ cacheWrite: 40, cacheWrite1h: 10 }))).toMatchObject({
    ...{ cache_creation_tokens: 40, cache_creation_ratio: 1.25 },
    ...{ cache_creation_1h_tokens: 10, cache_creation_1h_ratio: 2 },
  });
  expect(fields(lasting, used({}))).not.toHaveProperty('cache_creation_tokens');
});

test('a picture in an answer is told of where it has a price of its own', () => {
  const drawing: PriceSnapshot = { ...chat, imageCompletionRatioNano: 100 * nano };
  expect(fields(drawing, used({ imageCompletion: 40 }))).toMatchObject({ image_output: 40, image_completion_ratio: 100 });
  expect(fields(chat, used({ imageCompletion: 40 }))).not.toHaveProperty('image_output');
});

test('a tier says its own ratios', () => {
  const { completionRatioNano, cacheRatioNano, cacheWriteRatioNano } = chat;
  const rest = { completionRatioNano, cacheRatioNano, cacheWriteRatioNano };
  const tiered: PriceSnapshot = {
    ...chat,
    tiers: [
      { upTo: 1000, modelRatioNano: nano, ...rest },
      { modelRatioNano: 2 * nano, ...rest },
    ],
  };
  expect(fields(tiered, used({}))).toMatchObject({ model_ratio: 1, tier_up_to: 1000 });
  expect(fields(tiered, used({ prompt: 1001 }))).toMatchObject({ model_ratio: 2 });
  expect(content(tiered, used({ prompt: 1001 }))).toContain('模型倍率 2.00');
});

test('prices that share their tiers each have words of their own: one of the backup pool, one of how the call was served', () => {
  const tiered: PriceSnapshot = { ...chat, tiers: [{ ...chat, upTo: 1000 }, { ...chat }] };
  const plain = content(tiered, used({}));
  const pool = { ...tiered, surchargeNano: 1.5 * nano };
  expect(content(pool, used({}))).toBe(`${plain}，突发备用号池倍率 1.50`);
  const served = { ...tiered, serviceTier: 'priority', serviceTierNano: 2 * nano };
  expect(content(served, used({}))).toBe(`${plain}，服务档位 priority 倍率 2.00`);
  expect(fields(served, used({}))).toMatchObject({ service_tier: 'priority', service_tier_ratio: 2 });
  expect(fields(tiered, used({}))).not.toHaveProperty('service_tier');
});

test('uses of hosted tools are told, with their prices where they have one', () => {
  const priced: PriceSnapshot = { ...chat, toolNano: { web_search: 10 * nano } };
  const searched = used({ tools: { web_search: 3, mcp: 1 } });
  expect(content(priced, searched)).toBe(`${content(chat, used({}))}，工具 web_search 3 次（每千次 $10）`);
  expect(fields(priced, searched)).toMatchObject({ tools: { web_search: 3, mcp: 1 }, tool_price: { web_search: 10 } });
  expect(content(chat, searched)).toBe(content(chat, used({})));
  expect(fields(chat, used({}))).not.toHaveProperty('tools');
});
