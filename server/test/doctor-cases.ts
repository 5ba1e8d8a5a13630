import { chmodSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DoctorLevel } from '@tollgate/contract';
import type { Facts } from '../src/doctor/facts.ts';
import type { Env } from '../src/env.ts';
import { blankUser } from '../src/identity/registration.ts';
import { keyColumns } from '../src/routing/channel-key.ts';
import { announceNode, databaseNowMs, type PresentNode } from '../src/storage/presence.ts';
import { channelRow } from './channel-rows.ts';
import { crypto, type DoctorWorld, seconds, type Undo } from './doctor-world.ts';
import { plainLog } from './log-kit.ts';

/** What makes exactly one check turn, and to what; taken back by what it returns. */
export interface Case {
  readonly level: DoctorLevel;
  readonly break: (world: DoctorWorld) => Promise<Undo>;
}

const day = 86_400;
const root = 1;
const all = async (...steps: readonly Promise<Undo>[]): Promise<Undo> => {
  const undo = await Promise.all(steps);
  return async () => {
    for (const each of undo.toReversed()) await each();
  };
};

/** What only a machine or a server of its own would show. */
const facts = <Group extends keyof Facts>(level: DoctorLevel, group: Group, change: Partial<Facts[Group]>): Case => ({
  level,
  async break(world) {
    const before = world.facts;
    world.facts = (gathered) => ({ ...gathered, [group]: { ...(gathered[group] as Facts[Group]), ...change } });
    return () => {
      world.facts = before;
    };
  },
});
const env = (level: DoctorLevel, change: Partial<Env>): Case => ({
  level,
  async break(world) {
    world.env = change;
    return () => {
      world.env = {};
    };
  },
});
const mode = (level: DoctorLevel, path: (world: DoctorWorld) => string, bits: number, back: number): Case => ({
  level,
  async break(world) {
    chmodSync(path(world), bits);
    return () => chmodSync(path(world), back);
  },
});
const options = (level: DoctorLevel, values: Record<string, string>): Case => ({
  level,
  break: (world) => all(...Object.entries(values).map(([key, value]) => world.option(key, value))),
});
const secret = (key: string): string => crypto.seal('secret', `option/value/${key}`);
const insert = (
  level: DoctorLevel,
  table: Parameters<DoctorWorld['insert']>[0],
  row: (now: number) => Record<string, unknown>,
): Case => ({ level, break: (world) => world.insert(table, row(seconds())) });

/** A third channel with its ability; `more` is what is wrong with it. */
const channel = (level: DoctorLevel, more: Record<string, unknown>, ability: Record<string, unknown> | null = {}): Case => ({
  level,
  async break(world) {
    const place = { id: 3, type: 1, base_url: String(more.base_url ?? '') };
    const row = { ...channelRow(3), ...place, models: 'gpt-4o-mini', ...keyColumns(crypto, place, 'sk-upstream-3') };
    const undo = await world.insert('channel', { ...row, created_at: 1, ...more });
    if (ability === null) return undo;
    const pair = { group_name: 'default', model: 'gpt-4o-mini', channel_id: 3, enabled: 1, ...ability };
    const forget = await world.insert('ability', pair);
    return async () => {
      await forget();
      await undo();
    };
  },
});

const user = (more: Record<string, unknown>) => ({
  ...blankUser(1),
  username: 'someone',
  display_name: 'Someone',
  password_hash: '',
  aff_code: 'SOME',
  inviter_id: 0,
  ...more,
});
/** Somebody with a wallet, who is wrong in some way. */
const person = (level: DoctorLevel, more: Record<string, unknown>): Case => ({
  level,
  async break(world) {
    const { username, ...rest } = user({ id: 77, ...more });
    const undo = await world.insert('users', { username, ...rest });
    const close = await world.insert('wallet', {
      user_id: 77,
      available: 0,
      held: 0,
      used_quota: 0,
      request_count: 0,
      version: 0,
    });
    return async () => {
      await close();
      await undo();
    };
  },
});
const hold = (level: DoctorLevel, keeper: string): Case =>
  insert(level, 'hold', (now) => ({
    ...{ id: 'late', user_id: root, token_id: 0, amount: 0, floor_cost: 0, checkpoint_cost: 0, dispatched: 0, node: 'n' },
    ...{ lease_until: now - 2 * day, created_at: now - 3 * day, context: '', note_id: '', keeper },
  }));
const log = (level: DoctorLevel, row: (now: number) => Record<string, unknown>, settle = true): Case => ({
  level,
  async break(world) {
    const undo = await world.insert('log', { ...plainLog, request_id: 'case', created_at: seconds(), ...row(seconds()) });
    // In the sums, unless that is what is wrong.
    const { id } = await world.db.read.selectFrom('log').select('id').where('request_id', '=', 'case').executeTakeFirstOrThrow();
    if (!settle) return undo;
    const back = await world.set('usage_rollup', { rolled_to: id }, { id: 1 });
    return async () => {
      await back();
      await undo();
    };
  },
});
const delivery = (level: DoctorLevel, state: string): Case =>
  insert(level, 'notification_delivery', (now) => ({
    ...{ notification_id: 1, user_id: root, way: 'email', state, attempts: 1, lease_owner: '' },
    // What failed is due no more.
    ...{ due_at: state === 'failed' ? 0 : now - 3600, lease_until: 0, detail: '', created_at: now - 3600, sent_at: 0 },
  }));
const node = async (world: DoctorWorld, { name, ...says }: Pick<PresentNode, 'name'> & Partial<PresentNode>): Promise<Undo> => {
  const whole = { isWorker: false, version: '1', aheadMs: 0, behindMs: 0, charges: 0, ...says, name };
  await announceNode(world.db, whole, Math.floor((await databaseNowMs(world.db)) / 1000));
  return () => world.db.transaction(({ query }) => query.deleteFrom('job_lease').where('name', '=', `node:${name}`).execute());
};
const nodes = (level: DoctorLevel, url: string | undefined, ...each: readonly Partial<PresentNode>[]): Case => ({
  level,
  async break(world) {
    world.env = url === undefined ? {} : { REDIS_URL: url };
    const undo = await all(...each.map((says, index) => node(world, { ...says, name: `case-${index}` })));
    return async () => {
      world.env = {};
      await undo();
    };
  },
});
const door = (values: Record<string, string>): Case => options('fail', values);
const file = (world: DoctorWorld, name: string): string => join(world.dataDir, name);
const keyFile = (world: DoctorWorld): string => file(world, 'secret.key');
const unconstrained = (world: DoctorWorld) =>
  world.db.engine === 'sqlite'
    ? world.run('PRAGMA ignore_check_constraints = ON', 'PRAGMA ignore_check_constraints = OFF')
    : world.run(
        'ALTER TABLE wallet DROP CONSTRAINT wallet_available_range',
        'ALTER TABLE wallet ADD CONSTRAINT wallet_available_range CHECK (available BETWEEN 0 AND 9007199254740991)',
      );
const inOrder =
  (...steps: readonly ((world: DoctorWorld) => Promise<Undo>)[]) =>
  async (world: DoctorWorld): Promise<Undo> => {
    const undo: Undo[] = [];
    for (const step of steps) undo.unshift(await step(world));
    return async () => {
      for (const each of undo) await each();
    };
  };
const gibibyte = 2 ** 30;
const redisUrl = 'redis://127.0.0.1:1';

export const cases: Readonly<Record<string, Case>> = {
  node_version: facts('warn', 'host', { nodeMajor: 20 }),
  runs_as_root: facts('warn', 'host', { userId: 0 }),
  memory: facts('warn', 'host', { memory: { total: gibibyte / 4, free: gibibyte / 8 } }),
  file_descriptors: facts('warn', 'host', { descriptors: 1024 }),
  disk_space: facts('fail', 'host', { disk: { total: 100 * gibibyte, free: gibibyte / 8, inodes: 1e6, freeInodes: 1e6 } }),
  disk_inodes: facts('warn', 'host', { disk: { total: 100 * gibibyte, free: 50 * gibibyte, inodes: 1e6, freeInodes: 10 } }),
  // Whoever tests as root may write everywhere.
  folder_writable: facts('fail', 'host', { isWritable: false }),
  folder_permissions: mode('warn', ({ dataDir }) => dataDir, 0o755, 0o700),
  master_key: {
    level: 'fail',
    async break(world) {
      renameSync(file(world, 'secret.key'), file(world, 'gone'));
      return () => renameSync(file(world, 'gone'), file(world, 'secret.key'));
    },
  },
  key_permissions: mode('fail', keyFile, 0o644, 0o600),
  database_permissions: {
    level: 'warn',
    async break(world) {
      if (world.db.engine !== 'sqlite') return facts('warn', 'host', { databaseMode: 0o644 }).break(world);
      return mode('warn', () => file(world, 'tollgate.db'), 0o644, 0o600).break(world);
    },
  },
  outbox: {
    level: 'fail',
    async break(world) {
      writeFileSync(file(world, 'outbox'), 'a charge\n');
      utimesSync(file(world, 'outbox'), seconds() - 3600, seconds() - 3600);
      return () => rmSync(file(world, 'outbox'));
    },
  },
  left_outboxes: {
    level: 'warn',
    async break(world) {
      writeFileSync(file(world, 'outbox-9'), 'a charge\n');
      return () => rmSync(file(world, 'outbox-9'));
    },
  },
  ballast: {
    level: 'warn',
    async break(world) {
      if (world.db.engine !== 'sqlite') return facts('warn', 'host', { hasBallast: false }).break(world);
      renameSync(file(world, 'ballast'), file(world, 'gone'));
      return () => renameSync(file(world, 'gone'), file(world, 'ballast'));
    },
  },
  backup_age: {
    level: 'warn',
    async break(world) {
      if (world.db.engine !== 'sqlite') return facts('warn', 'host', { isEmbedded: true, backup: undefined }).break(world);
      renameSync(file(world, 'last-backup.json'), file(world, 'gone'));
      return () => renameSync(file(world, 'gone'), file(world, 'last-backup.json'));
    },
  },

  public_without_proxy: env('warn', { HOST: '0.0.0.0' }),
  proxies_too_wide: env('fail', { TRUSTED_PROXIES: ['0.0.0.0/0'] }),
  private_upstreams_wide: env('fail', { ALLOW_PRIVATE_UPSTREAMS: ['::/0'] }),
  egress_rewrite: env('warn', { EGRESS_REWRITE: ['github.com=http://127.0.0.1:1'] }),
  rate_limits_off: env('fail', { RATE_LIMIT_FACTOR: 0 }),
  metrics_public: env('warn', { HOST: '10.0.0.1', TRUSTED_PROXIES: ['10.0.0.2'], METRICS_PORT: 9000 }),
  log_level: env('warn', { LOG_LEVEL: 'trace' }),
  lease_times: env('fail', { HOLD_LEASE_SECONDS: 5, HOLD_CHECKPOINT_SECONDS: 5 }),
  drain_time: env('warn', { DRAIN_SECONDS: 0 }),
  server_address: options('warn', { ServerAddress: '' }),
  server_address_plain: options('warn', { ServerAddress: 'http://gate.example.com' }),
  // By a real proxy in e2e/stream-buffering.test.ts.
  stream_buffering: {
    level: 'fail',
    async break(world) {
      const before = world.askStream;
      world.askStream = async () => 'together';
      return () => {
        world.askStream = before;
      };
    },
  },

  engine_version: facts('fail', 'engine', { isSupported: false, version: 'PostgreSQL 12' }),
  takes_writes: facts('fail', 'engine', { takesWrites: false }),
  standby: facts('fail', 'engine', { waitingCommits: 3 }),
  holder: facts('warn', 'engine', { holder: { kind: 'process', name: '4711', who: 'psql, report', seconds: 7_200 } }),
  slots: facts('warn', 'engine', { forgottenSlots: ['gone'] }),
  encoding: facts('warn', 'engine', { encoding: 'SQL_ASCII' }),
  migrations: {
    level: 'fail',
    break: (world) =>
      world.run(
        `DELETE FROM migration WHERE name = '0019-log-windows'`,
        `INSERT INTO migration (name, applied_at) VALUES ('0019-log-windows', '')`,
      ),
  },
  journal: facts('fail', 'engine', { journal: [{ name: 'journal_mode', value: 'delete', isSound: false }] }),
  synchronous: {
    level: 'warn',
    break: (world) =>
      world.db.engine === 'sqlite'
        ? env('warn', { SQLITE_SYNCHRONOUS: 'NORMAL' }).break(world)
        : facts('warn', 'engine', { commits: [{ name: 'synchronous_commit', value: 'off', isSound: false }] }).break(world),
  },
  indexes: {
    level: 'fail',
    break: (world) => world.run('DROP INDEX hold_by_lease_until', 'CREATE INDEX hold_by_lease_until ON hold (lease_until)'),
  },
  append_only: {
    level: 'fail',
    break: (world) =>
      world.db.engine === 'sqlite'
        ? world.run(
            'DROP TRIGGER transfer_refuses_update',
            "CREATE TRIGGER transfer_refuses_update BEFORE UPDATE ON transfer BEGIN SELECT RAISE(ABORT, 'transfer is append-only'); END",
          )
        : world.run(
            'ALTER TABLE transfer DISABLE TRIGGER transfer_refuses_change',
            'ALTER TABLE transfer ENABLE TRIGGER transfer_refuses_change',
          ),
  },
  clock_skew: {
    level: 'fail',
    async break(world) {
      world.skewMs = -120_000;
      return () => {
        world.skewMs = 0;
      };
    },
  },
  connections: facts('warn', 'engine', { connections: { used: 99, most: 100 } }),
  archive: facts('fail', 'engine', { archive: { isFailing: true } }),
  journal_size: facts('warn', 'engine', { journalBytes: gibibyte }),

  negative_wallets: {
    level: 'fail',
    break: inOrder(unconstrained, (world) => world.set('wallet', { available: -1 }, { user_id: root })),
  },
  frozen_wallets: { level: 'fail', break: (world) => world.set('wallet', { held: 5 }, { user_id: root }) },
  wallets_missing: insert('fail', 'users', () => user({ id: 77 })),
  overdue_holds: hold('fail', ''),
  overdue_task_holds: hold('warn', 'task'),
  proof_red: { level: 'fail', break: (world) => world.set('proof_state', { ok: 0, difference: 'user:1' }, { id: 1 }) },
  proof_age: { level: 'warn', break: (world) => world.set('proof_state', { checked_at: seconds() - day }, { id: 1 }) },
  receipts_behind: log('warn', (now) => ({ created_at: now - day })),
  shortfalls: log('warn', () => ({ shortfall: 3 })),
  unmatched_payments: insert('warn', 'payment_inbox', () => ({
    ...{ provider: 'epay', digest: 'd', kind: 'k', payload_sealed: '', summary: '{}', verdict: 'unmatched_order', detail: '' },
    ...{ trade_no: '', order_id: 0, money_cents: 1, currency: '', seen: 1, received_at: 1, last_at: 1 },
  })),
  overdue_rewards: insert('warn', 'invite_reward', (now) => ({
    ...{ inviter_id: root, invitee_id: 2, kind: 'register', ref: 'invite:2', amount: 1, state: 'waiting' },
    ...{ due_at: now - 2 * day, created_at: 1 },
  })),
  old_withdrawals: insert('warn', 'agent_withdrawal', () => ({
    ...{ agent_id: root, amount: 1, fee: 0, method: 'alipay', payee_name: '', payee_account: '', bank_name: '', status: 1 },
    ...{ remark: '', created_at: 1, updated_at: 1 },
  })),
  stuck_tasks: insert('warn', 'task', () => ({
    ...{
      public_id: 'p',
      platform: 'suno',
      action: 'a',
      user_id: root,
      token_id: 0,
      channel_id: 1,
      key_id: '',
      group_name: 'default',
    },
    ...{ model: 'm', hold_id: 'h', quota: 0, charge: '', upstream_id: 'u', created_at: 1, updated_at: 1, submit_at_ms: 1 },
    ...{ deadline_at_ms: 1, due_at_ms: 1 },
  })),

  no_channels: {
    level: 'warn',
    break: inOrder(
      (world) => world.set('channel', { status: 2 }, { id: 1 }),
      (world) => world.set('channel', { status: 2 }, { id: 2 }),
    ),
  },
  auto_disabled: channel('warn', { status: 3 }),
  orphan_abilities: insert('fail', 'ability', () => ({
    group_name: 'default',
    model: 'gpt-4o-mini',
    channel_id: 999,
    enabled: 1,
  })),
  abilities_missing: channel('fail', {}, null),
  channel_key_missing: channel('warn', { key_sealed: '' }),
  channel_key_unreadable: channel('fail', { key_sealed: 'v1.00000000.AAAA.AAAA' }),
  channel_models_missing: channel('warn', { models: '' }),
  channel_groups_missing: channel('warn', { group_names: '' }),
  channel_groups_unknown: channel('warn', { group_names: 'default,nowhere' }),
  channel_json: channel('fail', { param_override: '{"temperature":' }),
  circular_mapping: channel('fail', { model_mapping: '{"a":"b","b":"a"}' }),
  channel_plain_http: channel('warn', { base_url: 'http://api.example.com' }),
  channel_balance: channel('warn', { balance: 0, balance_updated_at: 5 }),
  channel_slow: channel('warn', { test_time: 5, response_time_ms: 60_000 }),
  channel_anomalies: log('warn', () => ({ receipt: '{"usage":{"source":"upstream","anomaly":true}}' })),
  model_unpriced: channel('fail', { models: 'gpt-4o-mini,nobody-knows-this-one' }),
  model_below_cost: options('fail', { AlertCostRatio: '2' }),
  model_free: options('warn', { ModelRatio: '{"gpt-4o-mini":0}' }),
  group_free: options('warn', { GroupRatio: '{"default":1,"vip":0,"svip":1}' }),
  model_unserved: channel('warn', { status: 2 }, { model: 'gpt-4o', enabled: 0 }),
  backup_pool: options('warn', { BackupPoolTag: 'spare' }),
  retries: options('warn', { RetryTimes: '0' }),

  default_password: { level: 'fail', break: (world) => world.set('users', { default_password: 1 }, { id: root }) },
  second_factor: { level: 'warn', break: (world) => world.set('totp', { confirmed: 0 }, { user_id: root }) },
  boundless_tokens: insert('warn', 'token', () => ({
    ...{ user_id: root, key_hmac: 'h', key_sealed: '', name: 'for ever', status: 1, created_at: 1, expired_at: -1 },
    ...{ unlimited_quota: 1 },
  })),
  root_active: {
    level: 'fail',
    break: (world) => world.set('users', { status: 2 }, { id: root }),
  },
  user_groups: person('warn', { group_name: 'nowhere' }),
  // Its mail address is left, and there is no mail server.
  root_reachable: { level: 'warn', break: (world) => world.set('users', { setting: '' }, { id: root }) },
  registration_gift: options('warn', { QuotaForNewUser: '1000' }),

  options_unreadable: options('fail', { RetryTimes: 'many' }),
  webhook_secret: options('fail', { StripeApiSecret: secret('StripeApiSecret') }),
  epay: options('fail', { EpayId: '1001' }),
  payment_callback: options('fail', {
    ...{ PayAddress: 'https://pay.example.com', EpayId: '1001', EpayKey: secret('EpayKey') },
    CustomCallbackAddress: 'http://127.0.0.1:3000',
  }),
  price_of_quota: options('fail', {
    ...{ StripeApiSecret: secret('StripeApiSecret'), StripeWebhookSecret: secret('StripeWebhookSecret'), StripeUnitPrice: '0' },
  }),
  smtp: options('fail', { SMTPServer: 'smtp.example.com' }),
  mail_wanted: options('fail', { EmailVerificationEnabled: 'true' }),
  no_door: options('fail', { PasswordLoginEnabled: 'false' }),
  door_github: door({ GitHubOAuthEnabled: 'true', GitHubClientId: 'id' }),
  door_linuxdo: door({ LinuxDOOAuthEnabled: 'true', LinuxDOClientId: 'id' }),
  door_oidc: door({ 'oidc.enabled': 'true', 'oidc.client_id': 'id' }),
  door_telegram: door({ TelegramOAuthEnabled: 'true', TelegramBotName: 'bot' }),
  door_wechat: door({ WeChatAuthEnabled: 'true', WeChatServerAddress: 'https://wechat.example.com' }),
  turnstile: door({ TurnstileCheckEnabled: 'true', TurnstileSiteKey: 'site' }),
  wxpusher: door({ WxPusherEnabled: 'true' }),
  worker_key: options('warn', { WorkerUrl: 'https://worker.example.com' }),
  demo_mode: options('warn', { DemoSiteEnabled: 'true' }),
  body_capture: options('warn', { LogBodies: 'all', LogBodyDays: '300' }),

  rollup: log('warn', (now) => ({ created_at: now - 7200 }), false),
  log_retention: {
    level: 'warn',
    break: (world) =>
      all(
        log('warn', (now) => ({ created_at: now - 500 * day })).break(world),
        // Its receipt is not late.
        world.set('proof_state', { log_id: Number.MAX_SAFE_INTEGER }, { id: 1 }),
      ),
  },
  log_future: log('warn', (now) => ({ created_at: now + 7200 })),
  body_cleanup: insert('fail', 'log_body', (now) => ({ request_id: 'old', user_id: root, created_at: now - 30 * day })),
  deliveries_failing: delivery('warn', 'failed'),
  deliveries_stuck: delivery('warn', 'waiting'),
  codes_cleanup: insert('warn', 'one_time', (now) => ({
    ...{ key_hash: 'k', kind: 'mail', user_id: 0, payload: '', tries: 0, expires_at: now - 10 * day },
  })),
  audit_end: { level: 'fail', break: (world) => world.set('audit_head', { hash: 'cut' }, { id: 1 }) },

  redis: {
    level: 'fail',
    async break(world) {
      world.env = { REDIS_URL: redisUrl };
      const before = world.pingRedis;
      const { pingRedis } = await import('../src/platform/redis-ping.ts');
      world.pingRedis = () => pingRedis(redisUrl);
      return () => {
        world.env = {};
        world.pingRedis = before;
      };
    },
  },
  nodes_without_redis: nodes('warn', undefined, {}, {}),
  node_clocks: nodes('fail', undefined, { aheadMs: 90_000 }),
  node_versions: nodes('warn', redisUrl, { version: '1' }, { version: '2' }),
  node_progress: nodes('fail', redisUrl, { behindMs: 60_000 }, { charges: 3 }),
};
