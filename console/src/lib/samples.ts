/** First calls, ready to paste, in the dialects that the gateway speaks. */

export const protocols = [
  { id: 'openai-chat', name: 'OpenAI', path: '/v1', endpoint: 'POST /v1/chat/completions' },
  { id: 'anthropic-messages', name: 'Anthropic', path: '', endpoint: 'POST /v1/messages' },
  { id: 'gemini-generate', name: 'Gemini', path: '', endpoint: 'POST /v1beta/models/MODEL:generateContent' },
] as const;
export type Protocol = (typeof protocols)[number]['id'];

export const sampleKinds = ['curl', 'python', 'node'] as const;
export type SampleKind = (typeof sampleKinds)[number];
export const sampleNames: Record<SampleKind, string> = { curl: 'cURL', python: 'Python', node: 'Node.js' };

export interface SampleInput {
  /** The gateway's address, without a slash at its end. */
  address: string;
  key: string;
  model: string;
}

const messages = [{ role: 'user', content: 'Hello' }];
/** A text in double quotes, as Python, JavaScript and JSON all read it. */
const quoted = (text: string): string => JSON.stringify(text);

function curl(url: string, header: string, body: unknown): string {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl ${url} \\\n  -H "${header}" \\\n  -H "Content-Type: application/json" \\\n  -d '${json}'`;
}

const openaiChat: Record<SampleKind, (input: SampleInput) => string> = {
  curl: ({ address, key, model }) => curl(`${address}/v1/chat/completions`, `Authorization: Bearer ${key}`, { model, messages }),
  python: ({ address, key, model }) => `from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  node: ({ address, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
};

/** A chat with everything that is sent, as a terminal or a program asks it. */
export function chatSample(
  kind: SampleKind,
  { address, key, body }: { address: string; key: string; body: Record<string, unknown> },
) {
  if (kind === 'curl') return curl(`${address}/v1/chat/completions`, `Authorization: Bearer ${key}`, body);
  const json = JSON.stringify(body, null, 4);
  if (kind === 'python') {
    return `import json
from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key="${key}")
answer = client.chat.completions.create(**json.loads(r'''${json.replaceAll("'''", '\\u0027\\u0027\\u0027')}'''))
print(answer.choices[0].message.content)`;
  }
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create(${json});
console.log(answer.choices[0].message.content);`;
}

const anthropicMessages: Record<SampleKind, (input: SampleInput) => string> = {
  curl: ({ address, key, model }) =>
    curl(`${address}/v1/messages`, `x-api-key: ${key}" \\\n  -H "anthropic-version: 2023-06-01`, {
      model,
      max_tokens: 1024,
      messages,
    }),
  python: ({ address, key, model }) => `from anthropic import Anthropic

client = Anthropic(base_url="${address}", api_key="${key}")
answer = client.messages.create(
    model=${quoted(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)`,
  node: ({ address, key, model }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${address}', apiKey: '${key}' });
const answer = await client.messages.create({
  model: ${quoted(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.content[0].text);`,
};

const geminiGenerate: Record<SampleKind, (input: SampleInput) => string> = {
  curl: ({ address, key, model }) =>
    curl(`${address}/v1beta/models/${encodeURIComponent(model)}:generateContent`, `x-goog-api-key: ${key}`, {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    }),
  python: ({ address, key, model }) => `from google import genai

client = genai.Client(api_key="${key}", http_options={"base_url": "${address}"})
answer = client.models.generate_content(model=${quoted(model)}, contents="Hello")
print(answer.text)`,
  node: ({ address, key, model }) => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: '${key}', httpOptions: { baseUrl: '${address}' } });
const answer = await client.models.generateContent({ model: ${quoted(model)}, contents: 'Hello' });
console.log(answer.text);`,
};

const dialects = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
};

/** A first call over one protocol, for a terminal or a program. */
export const sample = (protocol: Protocol, kind: SampleKind, input: SampleInput): string => dialects[protocol][kind](input);
