import type { AuditTrail } from '../audit/index.ts';
import type { Topups } from '../billing/index.ts';
import type { Accounts, Doors, Identity, Profile, SessionList, Tokens } from '../identity/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Options } from '../settings/index.ts';
import type { Dashboards } from '../usage/index.ts';
import { type Call, signedIn } from './types.ts';

export interface OwnDataDeps {
  clock: Clock;
  options(): Pick<Options, 'QuotaPerUnit'>;
  accounts: Pick<Accounts, 'self'>;
  profile: Pick<Profile, 'noteExport'>;
  sessionList: Pick<SessionList, 'list'>;
  doors: { passkeys: Pick<Doors['passkeys'], 'list'> };
  tokens: Pick<Tokens, 'list'>;
  topups: Pick<Topups, 'orders' | 'movements'>;
  dashboards: Pick<Dashboards, 'months'>;
  auditTrail: Pick<AuditTrail, 'acts'>;
}

const pageSize = 100;

/**
 * All that is kept about the caller as lines of JSON, each with the name of its `record`, without secrets and without what is other
 * people's; single calls are in the log's own export. Nothing is read before it is asked for. Times are unix seconds, months
 * those of UTC.
 */
export async function* ownData(deps: OwnDataDeps, call: Pick<Call, 'identity' | 'caller'>): AsyncGenerator<string> {
  const identity = signedIn(call);
  const { user } = identity;
  // Before the first byte: what was handed out has its row in the audit log.
  await deps.profile.noteExport(user, call.caller);
  yield* lines('export', [{ exported_time: nowSeconds(deps.clock), quota_per_unit: deps.options().QuotaPerUnit }]);
  yield* lines('profile', [await profileOf(deps, identity)]);
  if (identity.credential.kind === 'session') yield* lines('session', await deps.sessionList.list(identity));
  yield* lines('passkey', await deps.doors.passkeys.list(identity));
  for await (const page of pages((p) => deps.tokens.list(user, { p, page_size: pageSize, status: 0 }), 0))
    yield* lines(
      'token',
      page.map(({ key: _secret, user_id: _own, ...token }) => token),
    );
  const orders = async (p: number) => (await deps.topups.orders({ p, page_size: pageSize, userId: user.id })).items;
  for await (const page of pages(orders, 1)) yield* lines('order', page);
  for await (const batch of deps.topups.movements(user.id)) yield* lines('movement', batch);
  for await (const month of deps.dashboards.months(user.id)) yield* lines('usage', month);
  for await (const batch of deps.auditTrail.acts(user.id)) yield* lines('act', batch);
}

/** Its empty secrets stay away, and the settings are no text in a text. */
async function profileOf({ accounts }: OwnDataDeps, identity: Identity) {
  const { password, access_token, verification_code, setting, ...shown } = await accounts.self(identity);
  return { ...shown, setting: setting === '' ? {} : (JSON.parse(setting) as object) };
}

async function* pages<Row>(read: (p: number) => Promise<readonly Row[]>, first: 0 | 1): AsyncGenerator<readonly Row[]> {
  for (let p = first; ; p += 1) {
    const rows = await read(p);
    yield rows;
    if (rows.length < pageSize) return;
  }
}

function* lines(record: string, rows: readonly object[]): Generator<string> {
  if (rows.length > 0) yield rows.map((row) => `${JSON.stringify({ record, ...row })}\n`).join('');
}
