import { loggedClient } from '../platform/http/system-client.ts';
import { type BotCheck, createBotCheck } from './bot-check.ts';
import type { DoorDeps } from './deps.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import { createPasskeys, type Passkeys } from './passkeys.ts';
import { createPasswordReset, type PasswordReset } from './reset.ts';
import { createTotp, type Totp } from './totp.ts';
import { createVerification, type Verification } from './verification.ts';

/** Every way in beside the password, and what belongs to it. */
export interface Doors {
  verification: Verification;
  reset: PasswordReset;
  oauth: OAuth;
  totp: Totp;
  passkeys: Passkeys;
  botCheck: BotCheck;
}

export function createDoors(parts: DoorDeps): Doors {
  const deps = { ...parts, http: loggedClient(parts.http, parts) };
  return {
    verification: createVerification(deps),
    reset: createPasswordReset(deps),
    oauth: createOAuth(deps),
    totp: createTotp(deps),
    passkeys: createPasskeys(deps),
    botCheck: createBotCheck(deps),
  };
}
