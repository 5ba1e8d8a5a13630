import { type ColumnBuilderCallback, type Kysely, sql } from 'kysely';
import { type MigrationContext, maxMoney } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');

/** Everything that the first paid call needs. */
export async function up(context: MigrationContext): Promise<void> {
  await identityTables(context);
  await tokenTable(context);
  await channelTables(context);
  await settingTables(context);
  await ledgerTables(context);
  await usageTables(context);
  await indexes(context.query);
}

async function identityTables({ table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('users'))
    .addColumn('username', text, (column) => column.notNull().unique())
    .addColumn('display_name', text, empty)
    .addColumn('password_hash', text, empty)
    .addColumn('default_password', int, zero)
    .addColumn('role', int, required)
    .addColumn('status', int, required)
    .addColumn('email', text)
    .addColumn('github_id', text, (column) => column.unique())
    .addColumn('oidc_id', text, (column) => column.unique())
    .addColumn('wechat_id', text, (column) => column.unique())
    .addColumn('telegram_id', text, (column) => column.unique())
    .addColumn('linux_do_id', text, (column) => column.unique())
    .addColumn('access_token_hash', text, (column) => column.unique())
    .addColumn('group_name', text, required)
    .addColumn('aff_code', text, (column) => column.notNull().unique())
    .addColumn('aff_count', int, zero)
    .addColumn('aff_history_quota', int, zero)
    .addColumn('inviter_id', int, zero)
    .addColumn('setting', text, empty)
    .addColumn('session_epoch', int, zero)
    .addColumn('created_at', int, required)
    .addColumn('deleted_at', int)
    .execute();
  await table('session')
    .addColumn('id_hash', text, (column) => column.notNull().primaryKey())
    .addColumn('user_id', int, required)
    .addColumn('session_epoch', int, required)
    .addColumn('created_at', int, required)
    .addColumn('seen_at', int, required)
    .addColumn('ip', text, empty)
    .addColumn('user_agent', text, empty)
    .execute();
}

async function tokenTable({ table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('token'))
    .addColumn('user_id', int, required)
    .addColumn('key_hmac', text, (column) => column.notNull().unique())
    .addColumn('key_sealed', text, required)
    .addColumn('name', text, required)
    .addColumn('status', int, required)
    .addColumn('created_at', int, required)
    .addColumn('accessed_at', int, zero)
    .addColumn('expired_at', int, (column) => column.notNull().defaultTo(-1))
    .addColumn('granted_quota', int, zero)
    .addColumn('remain_quota', int, zero)
    .addColumn('used_quota', int, zero)
    .addColumn('held_quota', int, zero)
    .addColumn('unlimited_quota', int, zero)
    .addColumn('model_limits_enabled', int, zero)
    .addColumn('model_limits', text, empty)
    .addColumn('allow_ips', text, empty)
    .addColumn('group_name', text, empty)
    .addColumn('deleted_at', int)
    .addCheckConstraint('token_remain_quota_range', sql`remain_quota BETWEEN 0 AND ${maxMoney}`)
    .addCheckConstraint('token_used_quota_range', sql`used_quota BETWEEN 0 AND ${maxMoney}`)
    .addCheckConstraint('token_held_quota_range', sql`held_quota BETWEEN 0 AND ${maxMoney}`)
    .addCheckConstraint('token_granted_quota_range', sql`granted_quota BETWEEN 0 AND ${maxMoney}`)
    .execute();
}

async function channelTables({ table, text, int, real, id }: MigrationContext): Promise<void> {
  await id(table('channel'))
    .addColumn('type', int, required)
    .addColumn('key_sealed', text, empty)
    .addColumn('key_hmac', text, empty)
    .addColumn('key_hint', text, empty)
    .addColumn('openai_organization', text, empty)
    .addColumn('test_model', text, empty)
    .addColumn('status', int, required)
    .addColumn('name', text, required)
    .addColumn('weight', int, zero)
    .addColumn('priority', int, zero)
    .addColumn('created_at', int, required)
    .addColumn('test_time', int, zero)
    .addColumn('response_time_ms', int, zero)
    .addColumn('base_url', text, empty)
    .addColumn('other', text, empty)
    .addColumn('balance', real, zero)
    .addColumn('balance_updated_at', int, zero)
    .addColumn('models', text, empty)
    .addColumn('group_names', text, empty)
    .addColumn('used_quota', int, zero)
    .addColumn('model_mapping', text, empty)
    .addColumn('status_code_mapping', text, empty)
    .addColumn('auto_ban', int, zero)
    .addColumn('other_info', text, empty)
    .addColumn('tag', text, empty)
    .addColumn('setting', text, empty)
    .addColumn('param_override', text, empty)
    .execute();
  await table('ability')
    .addColumn('group_name', text, required)
    .addColumn('model', text, required)
    .addColumn('channel_id', int, required)
    .addColumn('enabled', int, required)
    .addColumn('priority', int, zero)
    .addColumn('weight', int, zero)
    .addColumn('tag', text, empty)
    .addPrimaryKeyConstraint('ability_pkey', ['group_name', 'model', 'channel_id'])
    .execute();
}

async function settingTables({ table, text, int, id }: MigrationContext): Promise<void> {
  await table('option')
    .addColumn('key', text, (column) => column.notNull().primaryKey())
    .addColumn('value', text, required)
    .execute();
  await id(table('change'), 'seq')
    .addColumn('kind', text, required)
    .addColumn('key', text, required)
    .addColumn('created_at', int, required)
    .execute();
}

async function ledgerTables(context: MigrationContext): Promise<void> {
  const { table, text, int, id } = context;
  await table('wallet')
    .addColumn('user_id', int, (column) => column.notNull().primaryKey())
    .addColumn('available', int, zero)
    .addColumn('held', int, zero)
    .addColumn('used_quota', int, zero)
    .addColumn('request_count', int, zero)
    .addColumn('version', int, zero)
    .addCheckConstraint('wallet_available_range', sql`available BETWEEN 0 AND ${maxMoney}`)
    .addCheckConstraint('wallet_held_range', sql`held BETWEEN 0 AND ${maxMoney}`)
    .execute();
  await id(table('transfer'))
    .addColumn('from_account', text, required)
    .addColumn('to_account', text, required)
    .addColumn('amount', int, required)
    .addColumn('unit', text, (column) => column.notNull().defaultTo('quota'))
    .addColumn('kind', text, required)
    .addColumn('ref', text, (column) => column.notNull().unique())
    .addColumn('user_id', int, required)
    .addColumn('actor_id', int, required)
    .addColumn('created_at', int, required)
    .addColumn('note', text, empty)
    .addCheckConstraint('transfer_amount_range', sql`amount BETWEEN 1 AND ${maxMoney}`)
    .addCheckConstraint('transfer_accounts_differ', sql`from_account <> to_account`)
    .execute();
  await table('hold')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('user_id', int, required)
    .addColumn('token_id', int, required)
    .addColumn('amount', int, required)
    .addColumn('floor_cost', int, required)
    .addColumn('checkpoint_cost', int, zero)
    .addColumn('dispatched', int, zero)
    .addColumn('node', text, required)
    .addColumn('lease_until', int, required)
    .addColumn('created_at', int, required)
    .addColumn('context', text, required)
    .addCheckConstraint('hold_amount_range', sql`amount BETWEEN 0 AND ${maxMoney}`)
    .execute();
  await table('swept')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('user_id', int, required)
    .addColumn('token_id', int, required)
    .addColumn('collected', int, required)
    .addColumn('log_id', int, required)
    .addColumn('closed_at', int, required)
    .execute();
  await context.appendOnly('transfer');
}

async function usageTables({ table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('log'))
    .addColumn('created_at', int, required)
    .addColumn('type', int, required)
    .addColumn('user_id', int, required)
    .addColumn('username', text, required)
    .addColumn('token_id', int, zero)
    .addColumn('token_name', text, empty)
    .addColumn('model_name', text, empty)
    .addColumn('channel_id', int, zero)
    .addColumn('group_name', text, empty)
    .addColumn('quota', int, zero)
    .addColumn('shortfall', int, zero)
    .addColumn('prompt_tokens', int, zero)
    .addColumn('completion_tokens', int, zero)
    .addColumn('use_time', int, zero)
    .addColumn('is_stream', int, zero)
    .addColumn('content', text, empty)
    .addColumn('other', text, empty)
    .addColumn('request_id', text, empty)
    .addColumn('ip', text, empty)
    .addColumn('receipt', text, empty)
    .execute();
  await table('usage_hourly')
    .addColumn('user_id', int, required)
    .addColumn('model_name', text, required)
    .addColumn('hour', int, required)
    .addColumn('count', int, zero)
    .addColumn('quota', int, zero)
    .addColumn('token_used', int, zero)
    .addPrimaryKeyConstraint('usage_hourly_pkey', ['user_id', 'model_name', 'hour'])
    .execute();
}

async function indexes(query: Kysely<unknown>): Promise<void> {
  const add = (table: string, ...columns: string[]): Promise<void> =>
    query.schema
      .createIndex(`${table}_by_${columns.join('_')}`)
      .on(table)
      .columns(columns)
      .execute();
  await add('session', 'user_id');
  await add('token', 'user_id');
  await add('ability', 'channel_id');
  await add('hold', 'lease_until');
  await add('swept', 'closed_at');
  await add('log', 'user_id', 'id');
  await add('log', 'created_at');
  // A user's movements other than calls, which are many.
  await sql`CREATE INDEX transfer_movements ON transfer (user_id, id) WHERE kind NOT IN ('charge', 'correction')`.execute(query);
}
