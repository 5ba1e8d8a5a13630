import { type Reply, startWeb, type Web } from './web.ts';

export interface Turnstile extends Web {
  rewrite: string[];
  /** Tokens that were solved and not used yet. */
  tokens: Map<string, { action: string; hostname: string }>;
  /** Replaces every answer. */
  override: { reply: Reply | undefined };
}

/** Stands in for challenges.cloudflare.com: each token is good once. */
export async function startTurnstile(secret: string): Promise<Turnstile> {
  const tokens: Turnstile['tokens'] = new Map();
  const override: Turnstile['override'] = { reply: undefined };
  const web = await startWeb(({ path, body }): Reply => {
    if (override.reply !== undefined) return override.reply;
    const form = new URLSearchParams(body);
    const token = form.get('response') ?? '';
    const solved = tokens.get(token);
    tokens.delete(token);
    if (path !== '/turnstile/v0/siteverify' || form.get('secret') !== secret || solved === undefined) {
      return { body: { success: false, 'error-codes': ['invalid-input-response'] } };
    }
    return { body: { success: true, ...solved, 'error-codes': [] } };
  });
  return { ...web, tokens, override, rewrite: [`challenges.cloudflare.com=${web.origin}`] };
}
