import { expect, test } from 'vitest';
import { readyChannel } from '../../test/record-kit.ts';
import { type Route, tiersOf, urnOf } from '../routing/index.ts';
import type { Options } from '../settings/index.ts';
import type { Call } from './call.ts';
import { asCapped, leastCapOf } from './least-cap.ts';

const options = { 'claude.thinking_adapter_enabled': true } as Options;
const route = (model: string, ...types: number[]): Route => {
  const channels = types.map((type) => readyChannel(type));
  return { group: 'default', model, size: types.length, tiers: tiersOf(channels).map(urnOf) };
};
const thinking = 'claude-3-7-sonnet-20250219-thinking';

test('the dearest of the channels that may answer counts', () => {
  expect(leastCapOf([route(thinking, 1, 14)], options)).toBe(1280);
  expect(leastCapOf([route('m', 14), route(thinking, 33)], options)).toBe(1280);
});

test('a plain name, or an upstream that knows no such names, asks for nothing', () => {
  expect(leastCapOf([route('claude-3-7-sonnet-20250219', 14), route(thinking, 1)], options)).toBe(0);
  expect(leastCapOf([], options)).toBe(0);
});

test('what was found holds for its options only', () => {
  const same = route(thinking, 14);
  expect(leastCapOf([same], options)).toBe(1280);
  expect(leastCapOf([same], { ...options, 'claude.thinking_adapter_enabled': false })).toBe(0);
  expect(leastCapOf([same], options)).toBe(1280);
});

test.each([
  ['was told', [], {}, true],
  ['has no word for', ['max_tokens'], {}, false],
  ["lost to the operator's override", [], { max_tokens: 4_000 }, false],
  ['lost to one of its own name', [], { generationConfig: { maxOutputTokens: 4_000 } }, false],
  ['was told beside what it was not', ['seed'], { temperature: 1 }, true],
])('only a cap that its upstream was told is one: %s', (_, losses, paramOverride, isCap) => {
  const by = { outgoing: { losses }, target: { channel: { paramOverride } } };
  expect(asCapped({ capIsCallers: true, completionCap: 1 } as Call, by).capIsCallers).toBe(isCap);
  const own = { capIsCallers: false, completionCap: 4_096 } as Call;
  expect(asCapped(own, by)).toBe(own);
});
