import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import { expect } from 'vitest';
import { anthropicOf, googleOf, openaiOf } from '../clients.ts';
import { failureOf } from '../rows/failures.ts';
import type { Front } from '../world.ts';
import type { FamilyRow } from './row.ts';

type Door = Pick<Front, 'gateway' | 'key'>;

interface Client {
  readonly sdk: string;
  /** What it fails with when the key is wrong, and when nobody serves the model. */
  readonly failures: readonly [key: new (...args: never[]) => Error, model: new (...args: never[]) => Error];
  call(door: Door, model: string): Promise<unknown>;
}

const messages = [{ role: 'user' as const, content: 'hi' }];

const clients: readonly Client[] = [
  {
    sdk: 'openai',
    failures: [OpenAI.AuthenticationError, OpenAI.APIError],
    call: (door, model) => openaiOf(door).chat.completions.create({ model, messages }),
  },
  {
    sdk: '@anthropic-ai/sdk',
    failures: [Anthropic.AuthenticationError, Anthropic.APIError],
    call: (door, model) => anthropicOf(door).messages.create({ model, max_tokens: 9, messages }),
  },
  {
    sdk: '@google/genai',
    failures: [ApiError, ApiError],
    call: (door, model) => googleOf(door).models.generateContent({ model, contents: 'hi' }),
  },
];

export const gatewayErrorRows: readonly FamilyRow[] = clients.flatMap(({ sdk, failures, call }): FamilyRow[] => [
  {
    sdk,
    feature: 'error: a wrong key (401)',
    upstream: '-',
    charge: 'none',
    async run({ gateway, mock }) {
      const failure = await failureOf(call({ gateway, key: 'sk-wrong' }, 'gpt-4o-mini'));
      expect(failure).toBeInstanceOf(failures[0]);
      expect(failure).toMatchObject({ status: 401, message: expect.stringContaining('request id') });
      expect(mock.requests()).toEqual([]);
    },
  },
  {
    sdk,
    feature: 'error: a model that nobody serves (503)',
    upstream: '-',
    charge: 'none',
    async run(world) {
      const failure = await failureOf(call(world, 'no-such-model'));
      expect(failure).toBeInstanceOf(failures[1]);
      expect(failure).toMatchObject({ status: 503, message: expect.stringContaining('no-such-model') });
      expect(world.mock.requests()).toEqual([]);
    },
  },
]);
