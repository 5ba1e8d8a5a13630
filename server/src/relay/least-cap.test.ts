import { expect, test } from 'vitest';
import { readyChannel } from '../../test/record-kit.ts';
import { type Route, tiersOf, urnOf } from '../routing/index.ts';
import type { Options } from '../settings/index.ts';
import { leastCapOf } from './least-cap.ts';

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
