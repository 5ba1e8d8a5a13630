import { role, routes } from '@tollgate/contract';
import type { AnyRoute } from '../src/api/types.ts';
import { actorPassword, addActor, type Scene } from './authorization-scene.ts';

/**
 * What a call comes to. `ok`: success. `in`: past the door; the service may still refuse for a reason of its own.
 * `401`, `D`: denied, no effect, nothing protected in the answer. `D4`: exactly as if the object did not exist.
 * `-`: not applicable.
 */
export type Outcome = 'ok' | 'in' | '401' | 'D' | 'D4' | '-';
export const roles = ['AN', 'CU', 'OU', 'AD', 'RT'] as const;
/** Anonymous; common user; common user aiming at another's object; administrator; super administrator. */
export type Who = (typeof roles)[number];

export interface Target {
  id?: number;
  query?: string;
  body?: object;
}

export interface Row {
  route: AnyRoute;
  /** Tells rows of one route apart. */
  title: string;
  outcomes: Record<Who, Outcome>;
  /** With the system access token, where it differs from the owner's own outcome. */
  byAccessToken?: Outcome;
  target(scene: Scene): Target | Promise<Target>;
}

interface Extra {
  title?: string;
  byAccessToken?: Outcome;
  target?: Row['target'];
}

/** `outcomes` in the order AN CU OU AD RT, as on the security page. */
function row(route: AnyRoute, outcomes: string, extra: Extra = {}): Row {
  const cells = outcomes.split(' ') as Outcome[];
  const cell = (who: Who): Outcome => cells[roles.indexOf(who)] ?? '-';
  const byAccessToken = extra.byAccessToken ?? (forSessions.has(route) ? '401' : undefined);
  return {
    route,
    title: extra.title ?? '',
    outcomes: { AN: cell('AN'), CU: cell('CU'), OU: cell('OU'), AD: cell('AD'), RT: cell('RT') },
    ...(byAccessToken === undefined ? {} : { byAccessToken }),
    target: extra.target ?? (() => ({})),
  };
}

const everyone = 'ok ok - ok ok';
const own = '401 ok - ok ok';
/** Everybody may come in; whether the caller has what it is about, the service says. */
const mine = '401 in - in in';
const admins = '401 D D ok ok';
const rootOnly = '401 D D D ok';
const nobody = '401 D D D D';
const foreign = '401 - D4 D4 D4';

const {
  probe,
  site,
  account,
  signIn,
  users,
  personal,
  sessions,
  notify,
  announcement,
  audit,
  channel,
  token,
  log,
  data,
  docs,
  drawing,
  task,
  doctor,
  imports,
  ledger,
  option,
  redemption,
  statement,
  topup,
  payment,
  invite,
  agent,
  agentSelf,
  price,
} = routes;

const levels = [
  ['a common user', role.common],
  ['an administrator', role.admin],
  ['a super administrator', role.root],
] as const;
type Aim = (id: number, tokenId: number) => Target;

/** One row per level of the user that is aimed at. */
function byLevel(route: AnyRoute, outcomes: readonly [string, string, string], aim: Aim, what = ''): Row[] {
  return levels.map(([title, level], index) =>
    row(route, outcomes[index] ?? nobody, {
      title: `${what} ${title}`.trim(),
      target: async (scene) => {
        const { id, tokenId } = await addActor(scene.kit, '', level);
        return aim(id, tokenId);
      },
    }),
  );
}

const manage = (action: string) => (id: number) => ({ body: { id, action } });
const newToken = { name: 't', remain_quota: 5, unlimited_quota: false, expired_time: -1, model_limits: '', group: '' };
const newChannel = { type: 1, key: 'sk-another-key-1', models: 'gpt-4o', group: 'default' };
const newAnnouncement = { title: 'Maintenance', content: 'On Sunday' };
const ofVictim = { title: "another's" };

/** What only a session may do: the rows marked (S), and what the page does not list but decides the same things. */
const forSessions: ReadonlySet<AnyRoute> = new Set<AnyRoute>([
  // The page: rows 13, 16, 17, 19, 49 and 50; row 15 for its password alone.
  ...[signIn.wechatBind, signIn.emailBind, signIn.telegramBind],
  ...[personal.exportSelf, personal.removeSelf, personal.accessToken, personal.transferInvites],
  ...[topup.redeem, topup.amount, topup.pay],
  // Who may sign in.
  ...[signIn.totpSetup, signIn.totpConfirm, signIn.totpDisable],
  ...[signIn.passkeyOptions, signIn.passkeyCreate, signIn.passkeyRename, signIn.passkeyDelete],
  ...[sessions.list, sessions.end, sessions.endOthers],
  // Money that is paid in or out, and another product's books.
  ...[topup.checkout, topup.checkoutAmount, payment.reverse, payment.ask, payment.credit, payment.refund],
  ...[agentSelf.withdraw, agentSelf.cancel, agent.review, agent.manage],
  ...[imports.start, imports.cancel],
]);

/** Made by the product itself, under a mark that no denied answer may show. */
async function newCodeKey({ kit, unique }: Scene): Promise<string> {
  const maker = { id: 1, username: 'root', ip: '' };
  const [key = ''] = await kit.deps.redemptions.create(maker, { name: unique, quota: 5, count: 1 });
  return key;
}

async function newCode(scene: Scene): Promise<number> {
  await newCodeKey(scene);
  const [newest] = await scene.kit.deps.redemptions.find({ keyword: '', status: 0, p: 0, page_size: 1 });
  return newest?.id ?? 0;
}

/** The authorization matrix of the security page for what it lists; routes without a row follow their `access` (rulings 20). */
export const matrix: readonly Row[] = [
  row(site.status, everyone),
  row(probe.statusTest, admins),
  row(probe.setup, everyone),
  row(site.notice, everyone),
  row(site.about, everyone),
  row(docs.openapi, everyone),
  row(site.homePage, everyone),
  row(account.register, 'ok ok - - -', { target: ({ unique }) => ({ body: { username: unique, password: actorPassword } }) }),
  row(account.login, everyone, {
    target: ({ victim }) => ({ body: { username: victim.username, password: actorPassword } }),
  }),
  row(account.logout, everyone),
  row(account.self, own),
  row(account.updateSelf, own, { title: 'names', target: () => ({ body: { display_name: 'Me' } }) }),
  row(account.updateSelf, own, {
    title: 'password',
    byAccessToken: 'D',
    target: () => ({ body: { original_password: actorPassword, password: 'another-horse-12' } }),
  }),
  row(account.models, own),
  row(account.selfGroups, own),
  row(account.groups, everyone),

  row(signIn.oauthState, everyone),
  row(signIn.totp, own),
  row(signIn.passkeys, own),
  row(signIn.passkeyRename, foreign, {
    ...ofVictim,
    target: ({ victim }) => ({ id: victim.passkeyId, body: { name: 'mine now' } }),
  }),
  row(signIn.passkeyDelete, foreign, { ...ofVictim, target: ({ victim }) => ({ id: victim.passkeyId, body: {} }) }),

  row(users.list, admins),
  row(users.search, admins, { target: () => ({ query: '?keyword=a' }) }),
  ...byLevel(users.get, [admins, rootOnly, rootOnly], (id) => ({ id })),
  row(users.create, admins, { target: ({ unique }) => ({ body: { username: unique, password: actorPassword } }) }),
  row(users.create, rootOnly, {
    title: 'an administrator',
    target: ({ unique }) => ({ body: { username: unique, password: actorPassword, role: role.admin } }),
  }),
  row(users.create, nobody, {
    title: 'a super administrator',
    target: ({ unique }) => ({ body: { username: unique, password: actorPassword, role: role.root } }),
  }),
  ...byLevel(users.update, [admins, rootOnly, nobody], (id) => ({ body: { id, display_name: 'New', quota: 77 } })),
  row(users.update, '401 - - D ok', {
    title: 'oneself',
    target: ({ actor }) => ({ body: { id: actor.id, display_name: 'Me' } }),
  }),
  row(users.update, '401 - - D D', {
    title: "one's own password",
    target: ({ actor }) => ({ body: { id: actor.id, password: 'another-horse-12' } }),
  }),
  ...byLevel(users.remove, [admins, rootOnly, nobody], (id) => ({ id })),
  ...['disable', 'enable', 'delete'].flatMap((action) =>
    byLevel(users.manage, [admins, rootOnly, nobody], manage(action), action),
  ),
  ...byLevel(users.manage, ['401 D D in in', '401 D D D in', nobody], manage('reset_second_factor'), 'second factor of'),
  ...byLevel(users.manage, [rootOnly, nobody, nobody], manage('promote'), 'promote'),
  ...byLevel(users.manage, [nobody, rootOnly, nobody], manage('demote'), 'demote'),
  ...byLevel(users.disableToken, [admins, rootOnly, nobody], (_, tokenId) => ({ id: tokenId })),

  row(personal.accessToken, own),
  row(personal.inviteCode, own),
  row(personal.transferInvites, own, { target: () => ({ body: { quota: 500_000 } }) }),
  row(personal.exportSelf, own),
  row(personal.removeSelf, '401 ok - ok D'),
  row(personal.saveSetting, own, { target: () => ({ body: { notify_type: 'email', quota_warning_threshold: 1 } }) }),
  row(sessions.list, own),
  row(sessions.end, own, { target: ({ actor }) => ({ id: actor.sessionId }) }),
  row(sessions.end, foreign, { ...ofVictim, target: ({ victim }) => ({ id: victim.sessionId }) }),
  row(sessions.endOthers, own),
  row(notify.deliveries, own),
  row(notify.retry, own, { target: async ({ actor, kit }) => ({ id: await failedDelivery(kit, actor.id) }) }),
  row(notify.retry, foreign, { ...ofVictim, target: async ({ victim, kit }) => ({ id: await failedDelivery(kit, victim.id) }) }),
  row(notify.test, '401 in - in in', { target: () => ({ body: { way: 'webhook' } }) }),
  row(notify.wxpusherCode, '401 in - in in'),
  row(notify.wxpusherStatus, own, { target: () => ({ query: '?code=x' }) }),
  row(notify.wxpusherUnbind, own),
  row(notify.wxpusherCallback, everyone, {
    target: () => ({ body: { action: 'app_subscribe', data: { uid: 'UID_x', extra: 'y' } } }),
  }),
  row(announcement.list, own),
  row(announcement.unread, own),
  row(announcement.read, own, { target: () => ({ body: {} }) }),
  row(announcement.create, rootOnly, { target: () => ({ body: newAnnouncement }) }),
  row(announcement.update, rootOnly, {
    target: async ({ kit }) => ({ body: { id: await addAnnouncement(kit), ...newAnnouncement } }),
  }),
  row(announcement.remove, rootOnly, { target: async ({ kit }) => ({ id: await addAnnouncement(kit) }) }),
  row(audit.list, rootOnly),

  row(channel.list, admins),
  row(channel.search, admins, { target: () => ({ query: '?keyword=guarded' }) }),
  row(channel.models, admins),
  row(channel.enabledModels, admins),
  row(channel.get, admins, { target: async ({ channel: make }) => ({ id: await make() }) }),
  row(channel.create, admins, { target: ({ unique }) => ({ body: { ...newChannel, name: unique } }) }),
  row(channel.update, admins, { target: async ({ channel: make }) => ({ body: { id: await make(), name: 'renamed' } }) }),
  row(channel.remove, admins, { target: async ({ channel: make }) => ({ id: await make() }) }),
  row(channel.removeDisabled, admins),
  row(channel.removeOffKeys, admins, { target: async ({ channel: make }) => ({ id: await make() }) }),
  row(channel.groups, admins),
  row(channel.modelsByType, own),

  row(token.list, own),
  row(token.search, own, { target: () => ({ query: '?keyword=guarded' }) }),
  row(token.get, own, { target: ({ actor }) => ({ id: actor.tokenId }) }),
  row(token.get, foreign, { ...ofVictim, target: ({ victim }) => ({ id: victim.tokenId }) }),
  row(token.create, own, { target: () => ({ body: newToken }) }),
  row(token.update, own, { target: ({ actor }) => ({ body: { id: actor.tokenId, ...newToken } }) }),
  row(token.update, foreign, { ...ofVictim, target: ({ victim }) => ({ body: { id: victim.tokenId, ...newToken } }) }),
  row(token.update, foreign, {
    title: "the status of another's",
    target: ({ victim }) => ({ query: '?status_only=true', body: { id: victim.tokenId, status: 2 } }),
  }),
  row(token.rotate, own, { target: ({ actor }) => ({ id: actor.tokenId }) }),
  row(token.rotate, foreign, { ...ofVictim, target: ({ victim }) => ({ id: victim.tokenId }) }),
  row(token.endOldKey, own, { target: ({ actor }) => ({ id: actor.tokenId }) }),
  row(token.endOldKey, foreign, { ...ofVictim, target: ({ victim }) => ({ id: victim.tokenId }) }),
  row(token.remove, own, { target: ({ actor }) => ({ id: actor.tokenId }) }),
  row(token.remove, foreign, { ...ofVictim, target: ({ victim }) => ({ id: victim.tokenId }) }),

  row(statement.self, own),
  ...byLevel(statement.ofUser, [admins, rootOnly, rootOnly], (id) => ({ id })),
  row(redemption.list, admins),
  row(redemption.search, admins, { target: () => ({ query: '?keyword=a' }) }),
  row(redemption.campaigns, admins),
  row(redemption.get, admins, { target: async (scene) => ({ id: await newCode(scene) }) }),
  row(redemption.create, admins, { target: () => ({ body: { name: 'gift', quota: 5, count: 2 } }) }),
  row(redemption.update, admins, { target: async (scene) => ({ body: { id: await newCode(scene), name: 'n', quota: 7 } }) }),
  row(redemption.remove, admins, { target: async (scene) => ({ id: await newCode(scene) }) }),
  row(redemption.disableBatch, admins, { target: async (scene) => ({ body: { ids: [await newCode(scene)] } }) }),
  row(redemption.removeInvalid, admins),
  row(topup.redeem, own, { target: async (scene) => ({ body: { key: await newCodeKey(scene) } }) }),
  row(topup.amount, own, { target: () => ({ body: { amount: 10 } }) }),
  row(topup.checkoutAmount, own, { target: () => ({ body: { amount: 10 } }) }),
  row(topup.records, own),
  row(topup.self, own),
  row(topup.recordsExport, own),
  row(payment.orders, admins),
  row(payment.ordersExport, admins),
  row(payment.reverse, '401 D D in in', { target: () => ({ id: 999_999, body: { reason: 'x' } }) }),
  row(payment.ask, '401 D D in in', { target: () => ({ id: 999_999 }) }),
  row(payment.inbox, rootOnly),
  row(payment.unmatched, rootOnly),
  row(payment.replay, '401 D D D in', { target: () => ({ id: 999_999 }) }),
  row(payment.credit, '401 D D D in', { target: () => ({ id: 999_999, body: { user_id: 1, quota: 5 } }) }),
  row(payment.refund, '401 D D D in', { target: () => ({ id: 999_999, body: { cents: 5 } }) }),
  row(invite.info, own),
  row(invite.records, own),
  row(invite.rewards, own),
  row(invite.rewardsExport, own),
  ...Object.values<AnyRoute>(agentSelf).map((route) =>
    row(route, mine, {
      target: () => (route.method === 'GET' ? {} : { id: 999_999, body: { contact_name: 'x', amount: 1, method: 'quota' } }),
    }),
  ),
  row(agent.list, admins),
  row(agent.summary, admins),
  row(agent.review, admins, { target: ({ victim }) => ({ id: victim.id, body: { status: 1 } }) }),
  row(agent.dividends, admins),
  row(agent.withdrawals, admins),
  row(agent.manage, '401 D D in in', { target: () => ({ id: 999_999, body: { action: 'claim' } }) }),
  row(agent.earnings, admins),
  row(agent.export, admins),
  row(agent.dividendsExport, admins),
  row(agent.withdrawalsExport, admins),

  row(data.all, admins),
  row(data.self, own, { target: ({ victim }) => ({ query: `?username=${victim.username}&user_id=${victim.id}` }) }),
  row(data.users, admins),
  row(data.dashboard, admins),
  row(data.ownDashboard, own, { target: ({ victim }) => ({ query: `?username=${victim.username}&user_id=${victim.id}` }) }),
  row(log.list, admins),
  row(log.stat, admins),
  row(log.self, own, { target: ({ victim }) => ({ query: `?username=${victim.username}&user_id=${victim.id}` }) }),
  row(log.selfStat, own),
  row(log.search, admins, { target: () => ({ query: '?keyword=2' }) }),
  row(log.selfSearch, own, { target: () => ({ query: '?keyword=2' }) }),
  row(log.ofKey, '401 401 - 401 401', { target: () => ({ query: '?key=sk-unknown' }) }),
  row(log.remove, rootOnly, { target: () => ({ query: '?target_timestamp=1' }) }),
  row(log.removal, rootOnly),
  row(log.export, admins),
  row(log.selfExport, own, { target: ({ victim }) => ({ query: `?username=${victim.username}&user_id=${victim.id}` }) }),
  row(log.tail, admins, { target: () => ({ query: '?after=0' }) }),
  row(log.selfTail, own, { target: ({ victim }) => ({ query: `?after=0&username=${victim.username}` }) }),
  row(log.body, '401 D4 D4 D4 D4', { target: () => ({ id: 999_999 }) }),
  row(log.giveBack, '401 D D D4 D4', { target: () => ({ id: 999_999, body: { refunded: 1, reason: 'x' } }) }),
  row(drawing.list, admins),
  row(drawing.self, own, { target: ({ victim }) => ({ query: `?ids=drawing-of-${victim.id}&user_id=${victim.id}` }) }),
  row(task.list, admins),
  row(task.self, own, { target: ({ victim }) => ({ query: `?ids=task-of-${victim.id}&user_id=${victim.id}` }) }),
  row(log.receipt, own, { target: async ({ actor, charge }) => ({ id: await charge(actor.id) }) }),
  row(log.receipt, '401 - D4 ok ok', { ...ofVictim, target: async ({ victim, charge }) => ({ id: await charge(victim.id) }) }),
  row(ledger.state, rootOnly),
  row(ledger.sources, rootOnly),
  row(ledger.proof, rootOnly),
  row(doctor.report, rootOnly),
  row(imports.state, rootOnly),
  row(imports.start, '401 D D D in', { target: () => ({ body: { from: '', mode: 'dry-run' } }) }),
  row(imports.cancel, rootOnly),
  row(price.pricing, everyone),
  row(price.versions, rootOnly),
  row(price.rollback, '401 D D D in', { target: () => ({ body: { id: 1 } }) }),
  row(price.preview, rootOnly, { target: () => ({ body: { changes: [], days: 1 } }) }),
  row(price.sync, rootOnly, { target: () => ({ query: '?source=catalogue' }) }),
  row(price.applySync, rootOnly, {
    target: () => ({ body: { source: 'catalogue', rows: [{ option: 'CacheRatio', model: 'm', to: 1 }] } }),
  }),
  row(price.unpriced, rootOnly),
  row(price.resetRatios, rootOnly),
  row(option.list, rootOnly),
  row(option.history, rootOnly),
  row(option.rollback, '401 D D D in', { target: () => ({ body: { id: 1 } }) }),
  row(option.testMail, '401 D D D in', { target: () => ({ body: { to: 'somebody@example.com' } }) }),
  row(option.save, rootOnly, { target: () => ({ body: { key: 'Notice', value: 'hello' } }) }),
];

const byAccess: Record<AnyRoute['access'], string> = {
  none: 'in in - in in',
  try: 'in in - in in',
  user: '401 in - in in',
  admin: '401 D D in in',
  root: '401 D D D in',
};

/** The row of a route that the matrix does not list. */
export function defaultRow(route: AnyRoute): Row {
  return row(route, byAccess[route.access], {
    target: () => ({ id: 999_999, ...(route.body === undefined ? {} : { body: {} }) }),
  });
}

async function failedDelivery({ db }: Scene['kit'], userId: number): Promise<number> {
  const { id } = await db.transaction(async (tx) => {
    const message = { type: 'test', title: { zh: '', en: '' }, content: { zh: '', en: '' }, values: [], link: '' };
    const sent = { event: 'test', body: JSON.stringify(message), audience: 'user', is_spread: 1, created_at: 1 };
    const notification = await tx.query.insertInto('notification').values(sent).returning('id').executeTakeFirstOrThrow();
    const row = { notification_id: notification.id, user_id: userId, way: 'email', state: 'failed', due_at: 0, created_at: 1 };
    return tx.query.insertInto('notification_delivery').values(row).returning('id').executeTakeFirstOrThrow();
  });
  return id;
}

async function addAnnouncement({ db }: Scene['kit']): Promise<number> {
  const row = { ...newAnnouncement, kind: 'announcement', author_id: 1, created_at: 1, updated_at: 1 };
  const { id } = await db.transaction((tx) =>
    tx.query.insertInto('announcement').values(row).returning('id').executeTakeFirstOrThrow(),
  );
  return id;
}
