import { turnstileAction } from '@tollgate/contract';
import { parseObject } from '@tollgate/wire';
import { PublicError } from '../platform/errors.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import type { Options } from '../settings/index.ts';
import type { Caller } from './types.ts';

export interface BotCheck {
  /**
   * Verifies the token of this very request; does nothing while the check is switched off. `origin`: the page's
   * scheme and host. Throws PublicError `bot_check_empty` or `bot_check_failed`, also when nobody can be asked.
   */
  verify(token: string, caller: Caller, origin: string): Promise<void>;
}

const address = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';
const timeoutMs = 3_000;
const maxAnswerBytes = 4_096;

export function createBotCheck({ http, options }: { http: SystemClient; options(): Options }): BotCheck {
  return {
    async verify(token, caller, origin) {
      const { TurnstileCheckEnabled, TurnstileSecretKey, ServerAddress } = options();
      if (!TurnstileCheckEnabled) return;
      if (token === '') throw new PublicError('bot_check_empty');
      const hosts = [origin, ServerAddress].map((place) => URL.parse(place)?.hostname);
      const answer = TurnstileSecretKey === '' ? undefined : await ask(http, TurnstileSecretKey, token, caller.address.ip);
      const { success, action, hostname } = answer ?? {};
      if (success !== true || action !== turnstileAction || typeof hostname !== 'string' || !hosts.includes(hostname)) {
        throw new PublicError('bot_check_failed');
      }
    },
  };
}

/** The service's verdict; undefined when it gave none. */
async function ask(http: SystemClient, secret: string, token: string, ip: string) {
  const body = new URLSearchParams({ secret, response: token, ...(ip === '' ? {} : { remoteip: ip }) }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  try {
    const answer = await http.request({ url: address, method: 'POST', headers, body, timeoutMs, maxBytes: maxAnswerBytes });
    return answer.status === 200 ? parseObject(answer.text) : undefined;
  } catch {
    // Fail closed: an unreachable service passes nobody.
    return undefined;
  }
}
