/** How programs reach the gateway: one line per protocol that it speaks. */
export const protocols = [{ id: 'openai-chat', name: 'OpenAI', path: '/v1', endpoint: 'POST /v1/chat/completions' }] as const;

export const sampleKinds = ['curl', 'python', 'node'] as const;
export type SampleKind = (typeof sampleKinds)[number];
export const sampleNames: Record<SampleKind, string> = { curl: 'cURL', python: 'Python', node: 'Node.js' };

/** A first call, ready to paste. */
export function sample(kind: SampleKind, address: string): string {
  if (kind === 'curl') {
    return `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer sk-..." \\
  -H "Content-Type: application/json" \\
  -d '{"model": "MODEL", "stream": true,
       "messages": [{"role": "user", "content": "Hello"}]}'`;
  }
  if (kind === 'python') {
    return `from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key="sk-...")
answer = client.chat.completions.create(
    model="MODEL",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`;
  }
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: 'sk-...' });
const answer = await client.chat.completions.create({
  model: 'MODEL',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`;
}
