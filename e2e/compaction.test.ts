import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { booksAgree } from './support/books-agree.ts';
import { startGateway } from './support/gateway.ts';
import { vendorRoutes } from './support/mock/vendors/index.ts';
import { toldOf } from './support/mock/vendors/vendor.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { talkTo } from './support/responses-socket.ts';
import { addServing } from './support/routing.ts';

const [native, crossed] = ['gpt-4o-mini', 'claude-sonnet-4-6'];
type Input = Exclude<OpenAI.Responses.ResponseCreateParams['input'], string | undefined>;

test('an agent has its conversation made shorter by the model of any vendor, and goes on with it at another', async () => {
  const upstream = await startMockUpstream({ dialects: vendorRoutes });
  onTestFinished(() => upstream.close());
  const gateway = await startGateway();
  onTestFinished(() => gateway.stop());
  const root = await gateway.root();
  await addServing(root, { base_url: upstream.url, models: native });
  await addServing(root, { base_url: upstream.url, models: crossed, type: 14 });
  const { key } = await root.addToken();
  const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const said: Input = [{ role: 'user', content: 'You are in Oslo.' }];

  const stream = client.responses.stream({ model: crossed, store: false, input: [...said, { type: 'compaction_trigger' }] });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect(types.filter((type) => type.includes('output_text'))).toEqual([]);
  const { output, usage } = await stream.finalResponse();
  expect(output).toMatchObject([{ type: 'compaction', encrypted_content: expect.stringContaining('Hello!') as string }]);
  const asked = upstream.requests().at(-1);
  expect(JSON.stringify(asked?.json.messages)).toMatch(/You are in Oslo.*Write a summary/);
  const told = asked && toldOf(asked);
  expect(usage).toMatchObject({ input_tokens: told?.prompt, output_tokens: told?.completion });
  const [row] = await root.logs();
  expect(row).toMatchObject({ prompt_tokens: told?.prompt, completion_tokens: told?.completion });
  expect(String(row?.other)).toContain('"compaction"');

  const next: Input = [...said, ...(output as Input), { role: 'user', content: 'count' }];
  for (const model of [crossed, native]) {
    expect((await client.responses.create({ model, input: next })).output_text).toContain('one two three');
    expect(JSON.stringify(upstream.requests().at(-1)?.json)).toMatch(/summary of it:[^"]*Hello!/);
    expect(JSON.stringify(upstream.requests().at(-1)?.json)).not.toContain('foreign.summary');
  }

  const { turn } = talkTo(gateway, key);
  const shorter = await turn({ model: crossed, store: false, input: [...said, { type: 'compaction_trigger' }] });
  expect(shorter.response.output).toMatchObject([{ type: 'compaction' }]);
  await booksAgree(gateway, root);
});
