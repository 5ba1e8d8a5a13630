import { hashSync } from 'bcryptjs';
import Sqlite from 'better-sqlite3';

/** Types as the sources' schema has them; the engines spell them differently. */
type ColumnType = 'id' | 'int' | 'text' | 'char48' | 'char32' | 'bool' | 'time' | 'real' | 'json';
type Columns = Readonly<Record<string, ColumnType>>;
export type FixtureTables = Readonly<Record<string, Columns>>;
export type FixtureRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const userColumns: Columns = {
  id: 'id',
  username: 'text',
  password: 'text',
  display_name: 'text',
  role: 'int',
  status: 'int',
  email: 'text',
  github_id: 'text',
  wechat_id: 'text',
  oidc_id: 'text',
  access_token: 'char32',
  quota: 'int',
  used_quota: 'int',
  request_count: 'int',
  group: 'text',
  aff_code: 'text',
  inviter_id: 'int',
};
const tokenColumns: Columns = {
  id: 'id',
  user_id: 'int',
  key: 'char48',
  status: 'int',
  name: 'text',
  created_time: 'int',
  accessed_time: 'int',
  expired_time: 'int',
  remain_quota: 'int',
  unlimited_quota: 'bool',
  used_quota: 'int',
};
const channelColumns: Columns = {
  id: 'id',
  type: 'int',
  key: 'text',
  status: 'int',
  name: 'text',
  weight: 'int',
  created_time: 'int',
  test_time: 'int',
  response_time: 'int',
  base_url: 'text',
  other: 'text',
  balance: 'real',
  models: 'text',
  group: 'text',
  used_quota: 'int',
  model_mapping: 'text',
  priority: 'int',
};
const redemptionColumns: Columns = {
  id: 'id',
  user_id: 'int',
  key: 'char32',
  status: 'int',
  name: 'text',
  quota: 'int',
  created_time: 'int',
  redeemed_time: 'int',
};
const logColumns: Columns = {
  id: 'id',
  user_id: 'int',
  created_at: 'int',
  type: 'int',
  content: 'text',
  username: 'text',
  token_name: 'text',
  model_name: 'text',
  quota: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  is_stream: 'bool',
  channel_id: 'int',
};
const optionColumns: Columns = { key: 'text', value: 'text' };
const rewards: Columns = { aff_count: 'int', aff_quota: 'int', aff_history: 'int' };

const oneApi: FixtureTables = {
  users: { ...userColumns, lark_id: 'text' },
  tokens: { ...tokenColumns, models: 'text', subnet: 'text' },
  channels: { ...channelColumns, config: 'text', system_prompt: 'text' },
  abilities: { group: 'text', model: 'text', channel_id: 'int', enabled: 'bool', priority: 'int' },
  redemptions: redemptionColumns,
  logs: { ...logColumns, request_id: 'text', elapsed_time: 'int', system_prompt_reset: 'bool' },
  options: optionColumns,
};

/** The tables of each product, as far as an import or its detection looks at them. */
export const fixtureTables: Readonly<Record<'new-api' | 'one-api' | 'one-hub' | 'laisky', FixtureTables>> = {
  'one-api': oneApi,
  laisky: {
    ...oneApi,
    users: { ...oneApi.users, totp_secret: 'text', created_at: 'int', updated_at: 'int' },
    channels: { ...oneApi.channels, model_configs: 'text', created_at: 'int' },
    abilities: { ...oneApi.abilities, suspend_until: 'time' },
    logs: { ...oneApi.logs, cached_prompt_tokens: 'int', metadata: 'text' },
    traces: { id: 'id', trace_id: 'text' },
  },
  'one-hub': {
    users: { ...userColumns, ...rewards, github_id_new: 'int', telegram_id: 'int', created_time: 'int', deleted_at: 'time' },
    tokens: { ...tokenColumns, group: 'text', backup_group: 'text', setting: 'json', deleted_at: 'time' },
    channels: {
      ...channelColumns,
      tag: 'text',
      model_headers: 'text',
      custom_parameter: 'text',
      proxy: 'text',
      only_chat: 'bool',
      deleted_at: 'time',
    },
    redemptions: redemptionColumns,
    logs: { ...logColumns, request_time: 'int', source_ip: 'text', metadata: 'json' },
    options: optionColumns,
    prices: {
      model: 'text',
      type: 'text',
      channel_type: 'int',
      input: 'real',
      output: 'real',
      locked: 'bool',
      extra_ratios: 'json',
    },
    user_groups: {
      id: 'id',
      symbol: 'text',
      name: 'text',
      ratio: 'real',
      api_rate: 'int',
      public: 'bool',
      enable: 'bool',
    },
  },
  'new-api': {
    users: {
      ...userColumns,
      ...rewards,
      telegram_id: 'text',
      linux_do_id: 'text',
      discord_id: 'text',
      setting: 'text',
      deleted_at: 'time',
    },
    tokens: {
      ...tokenColumns,
      model_limits_enabled: 'bool',
      model_limits: 'text',
      allow_ips: 'text',
      group: 'text',
      deleted_at: 'time',
    },
    channels: {
      ...channelColumns,
      openai_organization: 'text',
      test_model: 'text',
      status_code_mapping: 'text',
      auto_ban: 'int',
      other_info: 'text',
      tag: 'text',
      setting: 'text',
      settings: 'text',
      param_override: 'text',
      header_override: 'text',
      channel_info: 'json',
    },
    redemptions: { ...redemptionColumns, used_user_id: 'int', expired_time: 'int', deleted_at: 'time' },
    logs: { ...logColumns, use_time: 'int', token_id: 'int', group: 'text', ip: 'text', request_id: 'text', other: 'text' },
    options: optionColumns,
    two_fas: { id: 'id', user_id: 'int', secret: 'text', is_enabled: 'bool', deleted_at: 'time' },
    two_fa_backup_codes: { id: 'id', user_id: 'int', code_hash: 'text', is_used: 'bool' },
    top_ups: { id: 'id', user_id: 'int', amount: 'int', money: 'real', trade_no: 'text', status: 'text', create_time: 'int' },
  },
};

export type FixtureEngine = 'sqlite' | 'postgres' | 'mysql';

const types: Readonly<Record<FixtureEngine, Readonly<Record<ColumnType, string>>>> = {
  sqlite: {
    id: 'integer PRIMARY KEY',
    int: 'integer',
    text: 'text',
    char48: 'char(48)',
    char32: 'char(32)',
    bool: 'numeric',
    time: 'datetime',
    real: 'real',
    json: 'text',
  },
  postgres: {
    id: 'bigserial PRIMARY KEY',
    int: 'bigint',
    text: 'text',
    char48: 'char(48)',
    char32: 'char(32)',
    bool: 'boolean',
    time: 'timestamptz',
    real: 'double precision',
    json: 'json',
  },
  mysql: {
    id: 'bigint AUTO_INCREMENT PRIMARY KEY',
    int: 'bigint',
    text: 'longtext',
    char48: 'char(48)',
    char32: 'char(32)',
    bool: 'tinyint(1)',
    time: 'datetime(3)',
    real: 'double',
    json: 'json',
  },
};

/** The statements that make the tables. */
export function createStatements(engine: FixtureEngine, tables: FixtureTables): string[] {
  const quote = quoteOf(engine);
  return Object.entries(tables).map(([table, columns]) => {
    const list = Object.entries(columns).map(([name, type]) => `${quote(name)} ${types[engine][type]}`);
    return `CREATE TABLE ${quote(table)} (${list.join(', ')})`;
  });
}

/** The statements that fill them, with `?` for values; absent columns stay NULL. */
export function insertStatements(
  engine: FixtureEngine,
  tables: FixtureTables,
  rows: FixtureRows,
): { sql: string; values: unknown[] }[] {
  const quote = quoteOf(engine);
  return Object.entries(rows).flatMap(([table, list]) =>
    list.map((row) => {
      const names = Object.keys(row);
      const values = names.map((name) => spelled(engine, tables[table]?.[name], row[name]));
      const sql = `INSERT INTO ${quote(table)} (${names.map(quote).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
      return { sql, values };
    }),
  );
}

function quoteOf(engine: FixtureEngine): (name: string) => string {
  const mark = engine === 'postgres' ? '"' : '`';
  return (name) => `${mark}${name}${mark}`;
}

function spelled(engine: FixtureEngine, type: ColumnType | undefined, value: unknown): unknown {
  if (type === undefined) throw new Error('a column that this table does not have');
  if (type === 'bool' && engine !== 'postgres') return value ? 1 : 0;
  if (type === 'json') return JSON.stringify(value);
  return value;
}

/** A file as the product would have it; `journal` as the product may have set it. */
export function writeSqliteFixture(file: string, tables: FixtureTables, rows: FixtureRows, journal = 'delete'): void {
  const db = new Sqlite(file);
  db.pragma(`journal_mode = ${journal}`);
  for (const sql of createStatements('sqlite', tables)) db.exec(sql);
  fillSqlite(db, tables, rows);
  db.close();
}

export function fillSqlite(db: Sqlite.Database, tables: FixtureTables, rows: FixtureRows): void {
  // Flushed once: twenty thousand rows one by one take minutes on a busy disk.
  db.transaction(() => {
    for (const { sql, values } of insertStatements('sqlite', tables, rows)) db.prepare(sql).run(...values);
  })();
}

export const oldPassword = 'an-old-password-7';
/** The lowest cost: what is tested is not how long it takes. */
export const oldHash = hashSync(oldPassword, 4);

/** A key as they are stored: 48 characters, no prefix. */
export function keyOf(name: string): string {
  return name.padEnd(48, '0');
}

export function userRow(id: number, fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id,
    username: `user${id}`,
    password: oldHash,
    display_name: `User ${id}`,
    role: 1,
    status: 1,
    email: '',
    quota: 0,
    used_quota: 0,
    request_count: 0,
    group: 'default',
    aff_code: `c${String(id).padStart(3, '0')}`,
    inviter_id: 0,
    ...fields,
  };
}

export function tokenRow(id: number, userId: number, fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id,
    user_id: userId,
    key: keyOf(`token${id}`),
    status: 1,
    name: `token ${id}`,
    created_time: 1_700_000_000,
    accessed_time: 1_700_000_100,
    expired_time: -1,
    remain_quota: 0,
    unlimited_quota: false,
    used_quota: 0,
    ...fields,
  };
}

export function channelRow(id: number, type: number, fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id,
    type,
    key: `sk-upstream-${id}-0123456789`,
    status: 1,
    name: `channel ${id}`,
    weight: 0,
    created_time: 1_700_000_000,
    base_url: '',
    other: '',
    models: 'gpt-4o-mini',
    group: 'default',
    used_quota: 0,
    model_mapping: '',
    priority: 0,
    ...fields,
  };
}

export function logRow(id: number, userId: number, fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id,
    user_id: userId,
    created_at: 1_700_000_000 + id,
    type: 2,
    content: '',
    username: `user${userId}`,
    token_name: 'token',
    model_name: 'gpt-4o-mini',
    quota: 0,
    prompt_tokens: 10,
    completion_tokens: 5,
    is_stream: false,
    channel_id: 0,
    ...fields,
  };
}
