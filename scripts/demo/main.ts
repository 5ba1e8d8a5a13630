import { readEnv } from '../../server/src/env.ts';
import { type DemoSummary, seedDemo } from '../demo-seed.ts';
import { historyDays, tokens, users } from './plan.ts';
import { channels } from './site.ts';

function guide({ calls, key }: DemoSummary, address: string, password: string): string {
  const mayEnter = users.filter(({ status }) => status === undefined);
  const names = mayEnter.map(({ username, group }) => `${username} (${group})`).join(', ');
  return `
Demo: ${users.length + 1} users, ${channels.length} channels, ${tokens.length} tokens, ${calls} calls of ${historyDays} days.

  Console   ${address}
  Sign in   root / ${password}
  Others    ${names}; the same password
  Call      curl -N ${address}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
              -d '{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
`;
}

/** `DEMO_UPSTREAM_URL` beside the server's own environment; the data folder must be empty. */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const rootPassword = env.INITIAL_ROOT_PASSWORD;
  const upstreamUrl = process.env.DEMO_UPSTREAM_URL;
  if (rootPassword === undefined || upstreamUrl === undefined)
    throw new Error('INITIAL_ROOT_PASSWORD and DEMO_UPSTREAM_URL are needed');
  const now = Math.floor(Date.now() / 1000);
  const summary = await seedDemo({ dataDir: env.DATA_DIR, secretKey: env.SECRET_KEY, rootPassword, upstreamUrl, now });
  console.log(guide(summary, `http://localhost:${env.PORT}`, rootPassword));
}

await main();
