import { afterAll, beforeAll, describe, test } from 'vitest';
import { anthropicRows } from './rows/anthropic.ts';
import { openaiChatRows } from './rows/openai-chat.ts';
import { openaiMediaRows, openaiToolRows } from './rows/openai-chat-more.ts';
import { openaiOptionRows } from './rows/openai-chat-options.ts';
import { runCell } from './table.ts';
import { columns, startWorld, type World } from './world.ts';

const rows = [...openaiChatRows, ...openaiToolRows, ...openaiMediaRows, ...openaiOptionRows, ...anthropicRows];
let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

describe.each(rows)('$sdk: $feature', (row) => {
  test.each(columns)('%s', (column) => runCell(row, column, world));
});
