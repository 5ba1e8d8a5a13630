import { type Access, type ErrorCode, role, userStatus } from '@tollgate/contract';
import { sha256 } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { promptly } from '../storage/prompt.ts';
import type { Sessions } from './sessions.ts';
import type { Identity, UserFacts } from './types.ts';
import { factsColumns, toFacts } from './users.ts';

/** The parts of a console request that decide who it is. */
export interface Credentials {
  /** Value of the session cookie. */
  cookie: string | undefined;
  authorization: string | undefined;
  /** Header New-Api-User. */
  userHeader: string | undefined;
}

/** The rule of one route. */
export interface AccessRule {
  access: Access;
  /** A user whose password is still the default one may call it. */
  allowDefaultPassword?: boolean;
  sessionOnly?: boolean;
}

/** Outcome for routes that use an identity when there is one: `refusal` says why a presented session was not used. */
export interface Admission {
  identity: Identity | undefined;
  refusal: ErrorCode | undefined;
}

/** A refusal of somebody who is known: the audit log wants to know whom. */
export class AccessRefusal extends PublicError {
  readonly user: UserFacts;

  constructor(code: ErrorCode, user: UserFacts) {
    super(code);
    this.user = user;
  }
}

export interface AccessControl {
  /** Throws PublicError in the order of contract 2.2; on `none` and `try` routes it never throws. */
  admit(rule: AccessRule, credentials: Credentials): Promise<Admission>;
}

const minimumRole: Record<'user' | 'admin' | 'root', number> = { user: role.common, admin: role.admin, root: role.root };
const knownRoles = new Set<number>(Object.values(role));
const maxAccessTokenLength = 128;

export function createAccessControl({ db, sessions }: { db: Database; sessions: Sessions }): AccessControl {
  return {
    async admit(rule, credentials) {
      if (rule.access === 'none') return { identity: undefined, refusal: undefined };
      const session = credentials.cookie === undefined ? undefined : await promptly(sessions.find(credentials.cookie));
      if (rule.access === 'try') return admitSession(session, rule, credentials.userHeader);
      const identity = session ?? (await promptly(findByAccessToken(db, credentials.authorization)));
      const refusal =
        headerFault(identity, credentials.userHeader) ??
        stateFault(identity, rule) ??
        roleFault(identity, minimumRole[rule.access]);
      if (refusal !== undefined) throw new AccessRefusal(refusal, identity.user);
      return { identity, refusal: undefined };
    },
  };
}

/** `try` routes know sessions only; one that does not prove itself counts as nobody. */
function admitSession(session: Identity | undefined, rule: AccessRule, userHeader: string | undefined): Admission {
  if (session === undefined) return { identity: undefined, refusal: undefined };
  const refusal = headerFault(session, userHeader) ?? stateFault(session, rule);
  return refusal === undefined ? { identity: session, refusal } : { identity: undefined, refusal };
}

/** The system access token of a user (contract 2.3); an sk- token is none and is refused like any unknown one. */
async function findByAccessToken(db: Database, authorization: string | undefined): Promise<Identity> {
  if (authorization === undefined || authorization.trim() === '') throw new PublicError('not_logged_in');
  const token = authorization.replace(/^Bearer /i, '').trim();
  if (token === '' || token.length > maxAccessTokenLength) throw new PublicError('access_token_invalid');
  const row = await db.read
    .selectFrom('users')
    .select(factsColumns)
    .where('access_token_hash', '=', sha256(token))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new PublicError('access_token_invalid');
  return { user: toFacts(row), credential: { kind: 'access-token' } };
}

function headerFault({ user }: Identity, header: string | undefined): ErrorCode | undefined {
  if (user.username === '') return 'user_invalid';
  if (header === undefined || header.trim() === '') return 'user_header_missing';
  if (!/^-?\d{1,16}$/.test(header.trim())) return 'user_header_malformed';
  return Number(header) === user.id ? undefined : 'user_header_mismatch';
}

function stateFault({ user, credential }: Identity, rule: AccessRule): ErrorCode | undefined {
  if (user.status !== userStatus.enabled) return 'user_banned';
  if (rule.sessionOnly && credential.kind !== 'session') return 'session_needed';
  if (user.defaultPassword && !rule.allowDefaultPassword) return 'must_change_password';
  return undefined;
}

function roleFault({ user }: Identity, minimum: number): ErrorCode | undefined {
  if (user.role < minimum) return 'permission_denied';
  return knownRoles.has(user.role) ? undefined : 'user_invalid';
}
