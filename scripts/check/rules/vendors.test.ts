import { expect, test } from 'vitest';
import { checkVendors } from './vendors.ts';

const found = (path: string, text: string): number[] => checkVendors([{ path, text }]).map(({ line }) => line);

test.each([
  "if (channel.label === 'DeepSeek') retry();",
  'const isMoonshot = type === 25;',
  '// volcengine wants the region first',
  "const url = 'https://api.x.ai'; const xai = true;",
  "if (owner === 'openai') return;",
  'const quirks = { anthropic: true };',
])('a vendor outside of providers/ is refused: %s', (line) => {
  expect(found('server/src/relay/attempt.ts', `\n${line}\n`)).toEqual([2]);
});

test('the same line inside a folder named providers/ is fine', () => {
  expect(found('server/src/providers/compatible.ts', "if (channel.label === 'DeepSeek') retry();")).toEqual([]);
  expect(found('contract/src/providers/channel-types.ts', "line(25, 'Moonshot', 'green')")).toEqual([]);
});

test.each([
  "const protocol = 'openai-chat';",
  "import { openaiChat } from '@tollgate/wire';",
  'row.openai_organization',
  "const headers = { 'anthropic-version': '2023-06-01' };",
  '// the first dialect is that of OpenAI',
  "const label = 'OpenAI';",
  'const details = retails.map(proxyAiport);',
])('a protocol id, a field of a dialect and prose are fine: %s', (line) => {
  expect(found('server/src/relay/attempt.ts', line)).toEqual([]);
});

test('dialects may be named in wire/, vendors may not', () => {
  expect(found('wire/src/ids.ts', "export const owner = 'openai';")).toEqual([]);
  expect(found('wire/src/ids.ts', "export const owner = 'groq';")).toEqual([1]);
});
