import type { IncomingHttpHeaders } from 'node:http';
import { never, readCallLimits, tokenStatus } from '@tollgate/contract';
import { parse } from 'hono/utils/cookie';
import type { createClientAddress } from '../platform/client-ip.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import type { AccessControl } from './access.ts';
import type { KeyRecord } from './keyring.ts';
import { hostCookieName, isForeign } from './provenance.ts';

export interface VisitorDeps {
  db: Database;
  access: AccessControl;
  clientAddress: ReturnType<typeof createClientAddress>;
  /** Option ServerAddress. */
  serverAddress(): string;
}

/** As much of a request as says who sent it. */
export interface VisitorRequest {
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Finds who calls the relay with a session instead of a key (contract 6.3): a record without a token, of the owner's own
 * group. Rejects with PublicError, as the console's routes do.
 */
export function createVisitors({ db, access, clientAddress, serverAddress }: VisitorDeps) {
  return async ({ headers, socket }: VisitorRequest): Promise<KeyRecord> => {
    const header = (name: string) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(',') : value;
    };
    const { host, origin, authorization } = headers;
    const provenance = { fetchSite: header('sec-fetch-site'), origin, host, serverAddress: serverAddress() };
    if (isForeign(provenance)) throw new PublicError('cross_site_refused');
    const { isHttps } = clientAddress(socket.remoteAddress, false, header);
    const name = hostCookieName('session', isHttps);
    const cookie = parse(headers.cookie ?? '', name)[name];
    if (cookie === undefined && authorization !== undefined) throw new PublicError('access_token_not_supported');
    const credentials = { cookie, authorization: undefined, userHeader: header('new-api-user') };
    const { identity } = await access.admit({ access: 'user', sessionOnly: true }, credentials);
    if (identity === undefined) throw new PublicError('not_logged_in');
    return recordOf(db, identity.user.id);
  };
}

async function recordOf(db: Database, userId: number): Promise<KeyRecord> {
  const row = await db.read
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status', 'group_name', 'setting', 'limits'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new PublicError('not_logged_in');
  const { id, username, role, status, setting } = row;
  return {
    ...{ tokenId: 0, tokenName: '', status: tokenStatus.enabled, expiredAt: never, unlimitedQuota: true, masked: '' },
    ...{ modelLimits: undefined, allowIps: undefined, denyIps: undefined, group: '', policy: undefined, endsAt: undefined },
    user: {
      ...{ id, username, role, status, setting },
      group: row.group_name,
      limits: row.limits === '' ? undefined : readCallLimits(row.limits),
    },
  };
}
