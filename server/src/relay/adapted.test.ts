import { expect, test } from 'vitest';
import type { Provider, UpstreamCallFacts } from '../providers/index.ts';
import { adapted, noted } from './adapted.ts';

const call = {} as UpstreamCallFacts;
const lossesOf = (before: object, after: object) =>
  adapted({ ...before }, { adapt: () => ({ ...after }) } as unknown as Provider, call).losses;

test('what a vendor does not take of its own dialect is a loss', () => {
  expect(lossesOf({ model: 'm', temperature: 0, user: 'u' }, { model: 'm' })).toEqual(['temperature', 'user']);
});

test('what holds anyway is none', () => {
  const neutral = {
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    service_tier: 'auto',
    encoding_format: 'float',
    reasoning_effort: 'none',
    reasoning: { effort: 'none' },
  };
  expect(lossesOf(neutral, {})).toEqual([]);
  expect(lossesOf({ temperature: 0, reasoning: { effort: 'low' } }, {})).toEqual(['temperature', 'reasoning']);
});

test('what only changes its name or its value is none', () => {
  expect(lossesOf({ max_tokens: 5, top_p: 1 }, { max_completion_tokens: 5, top_p: 0.99 })).toEqual([]);
});

test('what is said in the address, or about the way of the answer, is none', () => {
  expect(lossesOf({ model: 'm', stream: true, stream_options: {} }, { anthropic_version: 'v' })).toEqual([]);
});

test('a record that wants nothing leaves the body alone', () => {
  const body = { a: 1 };
  expect(adapted(body, {} as Provider, call)).toEqual({ body, losses: [] });
});

test('what nobody read of a body was said in vain, unless it says nothing', () => {
  const said = { model: 'm', prompt: 'p', n: 1, quality: 'high', background: 'auto', user: null, style: 'vivid' };
  const { body, unread } = noted(said);
  expect(unread()).toEqual(['prompt', 'quality', 'style']);
  const { prompt } = body;
  expect([prompt, unread()]).toEqual(['p', ['quality', 'style']]);
  expect({ ...body }).toEqual(said);
  expect(unread()).toEqual(['quality', 'style']);
  const { background: _, ...rest } = body;
  expect(unread(rest)).toEqual([]);
  const { style: __, ...others } = rest;
  expect(unread(others)).toEqual(['style']);
});
