export { type AccessControl, AccessRefusal, type Admission, createAccessControl } from './access.ts';
export { type Accounts, createAccounts } from './accounts.ts';
export { type SignIn, secondStepAnswer } from './admit-user.ts';
export { actorFor } from './audit.ts';
export type { BotCheck } from './bot-check.ts';
export { killSessions, listSessions, listTokens, listUsers, switchToken, voidCredentials } from './break-glass.ts';
export { deviceSecret } from './devices.ts';
export { createDoors, type Doors } from './doors.ts';
export { factorSecret, insertImportedFactor } from './imported-factor.ts';
export { changeImportedToken, type ImportedToken, insertImportedToken, tokenKeyFault } from './imported-token.ts';
export {
  accessTokenDigest,
  changeImportedAccessToken,
  changeImportedSetting,
  changeImportedUser,
  type ImportedUser,
  insertImportedUser,
} from './imported-user.ts';
export { isAllowedFrom, keyRefusal } from './key-checks.ts';
export { createKeyring, type KeyRecord, type Keyring, readingsOf } from './keyring.ts';
export { commandLineManager, createUserManagement, type Manager, type UserManagement } from './manage.ts';
export { tellEndingKeys } from './old-keys.ts';
export { createPasswords } from './passwords.ts';
export { createProfile, type Profile } from './profile.ts';
export { type CookieName, hostCookieName, isForeign } from './provenance.ts';
export { checkRegistrationOpen } from './registration.ts';
export { resetPassword } from './reset-password.ts';
export { bootstrapRoot, type RootState } from './root.ts';
export { createSessionList, type SessionList } from './session-list.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { sealedTokens } from './token-view.ts';
export { createTokens, type Tokens } from './tokens.ts';
export { sealedSecondFactors } from './totp.ts';
export type { Caller, Identity, OpenedSession } from './types.ts';
export { createVisitors } from './visitors.ts';
