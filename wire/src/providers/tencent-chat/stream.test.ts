import { expect, test } from 'vitest';
import { createCrossingTap } from '../../chat/event-tap.ts';
import { clientDialects } from '../../dialects.ts';
import { decodeFrames } from '../../sse.ts';
import { createDecoder } from './stream.ts';
import { usageOf } from './types.ts';

test.each(['1e999', '-1', '0.5', '128', '"0"'])('a choice whose number is %s is the first one', (index) => {
  const chunk = `data: {"Id":"a","Choices":[{"Index":${index},"Delta":{"Content":"Hi"},"FinishReason":"stop"}]}\n\n`;
  const [chat] = clientDialects;
  const context = { id: 'i', model: 'm', created: 1, wantsUsage: false, promptEstimate: 1 };
  const encoder = chat?.createEncoder(context);
  if (encoder === undefined) throw new Error('no dialect');
  const tap = createCrossingTap(createDecoder(), encoder, { swallowUsage: false });
  const told = decodeFrames(tap.push(Buffer.from(chunk)) ?? Buffer.alloc(0)).map(({ data = '' }) => JSON.parse(data));
  expect(told.flatMap(({ choices }) => choices.map((choice: { index: unknown }) => choice.index))).not.toEqual([]);
  for (const { choices } of told) for (const choice of choices) expect(choice.index).toBe(0);
  expect(tap.end().complete).toBe(true);
});

test.each([4, '4'])('the cached share is a number or a text: %j', (CachedTokens) => {
  const Usage = { PromptTokens: 11, CompletionTokens: 7, TotalTokens: 18, PromptTokensDetails: { CachedTokens } };
  expect(usageOf({ Usage })).toMatchObject({ prompt: 11, cached: 4, completion: 7 });
});
