import type { LoginUser } from '@tollgate/contract';
import type { ClientAddress } from '../platform/client-ip.ts';

/** The facts of a user that every request reads anew. */
export interface UserFacts {
  id: number;
  username: string;
  displayName: string;
  role: number;
  status: number;
  group: string;
  sessionEpoch: number;
  /** The password is still the well-known default one. */
  defaultPassword: boolean;
}

/** Who a console request acts for, and by which credential. */
export interface Identity {
  user: UserFacts;
  credential: ({ kind: 'session'; idHash: string } & SignInTimes) | { kind: 'access-token' };
}

/** Unix seconds; they stay when only the session's id changes. */
export interface SignInTimes {
  signedInAt: number;
  /** When the password was proven; 0: the session was opened by another door. */
  provenAt: number;
}

/** What the handlers learn of the connection. */
export interface Caller {
  address: ClientAddress;
  userAgent: string;
  /** Value of the cookie that tells browsers apart for a long time; absent where no browser calls. */
  device?: string;
}

/** A cookie's value with the user it belongs to. */
export interface OpenedSession {
  cookie: string;
  user: LoginUser;
}
