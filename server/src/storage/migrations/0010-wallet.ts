import { type ColumnBuilderCallback, sql } from 'kysely';
import { type MigrationContext, maxMoney } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');

/** Redemption codes, online payments and invitations. */
export async function up(context: MigrationContext): Promise<void> {
  await redemptionTable(context);
  await paymentTables(context);
  await inviteTables(context);
}

async function redemptionTable({ query, table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('redemption'))
    .addColumn('user_id', int, required)
    .addColumn('key_hmac', text, (column) => column.notNull().unique())
    .addColumn('key_sealed', text, required)
    .addColumn('status', int, required)
    .addColumn('name', text, required)
    .addColumn('quota', int, required)
    .addColumn('created_at', int, required)
    .addColumn('redeemed_at', int, zero)
    .addColumn('used_user_id', int, zero)
    .addColumn('deleted_at', int)
    .addCheckConstraint('redemption_quota_range', sql`quota BETWEEN 1 AND ${maxMoney}`)
    .execute();
  await query.schema.createIndex('redemption_name').on('redemption').column('name').execute();
}

async function paymentTables({ query, table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('topup_order'))
    .addColumn('user_id', int, required)
    .addColumn('provider', text, required)
    .addColumn('method', text, empty)
    .addColumn('trade_no', text, (column) => column.notNull().unique())
    .addColumn('amount', int, required)
    .addColumn('quota', int, required)
    .addColumn('money_cents', int, required)
    .addColumn('currency', text, empty)
    .addColumn('state', text, required)
    .addColumn('provider_ref', text, empty)
    .addColumn('created_at', int, required)
    .addColumn('expires_at', int, required)
    .addColumn('completed_at', int, zero)
    .addCheckConstraint('topup_order_quota_range', sql`quota BETWEEN 1 AND ${maxMoney}`)
    .addCheckConstraint('topup_order_money_range', sql`money_cents BETWEEN 1 AND ${maxMoney}`)
    .execute();
  await query.schema.createIndex('topup_order_user').on('topup_order').columns(['user_id', 'id']).execute();
  await query.schema.createIndex('topup_order_state').on('topup_order').columns(['state', 'expires_at']).execute();
  await id(table('payment_inbox'))
    .addColumn('provider', text, required)
    .addColumn('digest', text, required)
    .addColumn('kind', text, empty)
    .addColumn('payload_sealed', text, required)
    .addColumn('summary', text, empty)
    .addColumn('verdict', text, required)
    .addColumn('detail', text, empty)
    .addColumn('trade_no', text, empty)
    .addColumn('order_id', int, zero)
    .addColumn('money_cents', int, zero)
    .addColumn('currency', text, empty)
    .addColumn('seen', int, required)
    .addColumn('received_at', int, required)
    .addColumn('last_at', int, required)
    .addUniqueConstraint('payment_inbox_digest', ['provider', 'digest'])
    .execute();
  await query.schema.createIndex('payment_inbox_verdict').on('payment_inbox').columns(['verdict', 'id']).execute();
}

async function inviteTables({ query, table, text, int, id }: MigrationContext): Promise<void> {
  await table('invite')
    .addColumn('invitee_id', int, (column) => column.notNull().primaryKey())
    .addColumn('inviter_id', int, required)
    .addColumn('ip', text, empty)
    .addColumn('created_at', int, required)
    .execute();
  await query.schema.createIndex('invite_inviter').on('invite').columns(['inviter_id', 'created_at']).execute();
  await id(table('invite_reward'))
    .addColumn('inviter_id', int, required)
    .addColumn('invitee_id', int, required)
    .addColumn('kind', text, required)
    .addColumn('ref', text, (column) => column.notNull().unique())
    .addColumn('amount', int, required)
    .addColumn('state', text, required)
    .addColumn('due_at', int, zero)
    .addColumn('created_at', int, required)
    .addCheckConstraint('invite_reward_amount_range', sql`amount BETWEEN 1 AND ${maxMoney}`)
    .execute();
  await query.schema.createIndex('invite_reward_due').on('invite_reward').columns(['state', 'due_at']).execute();
  await query.schema.createIndex('invite_reward_inviter').on('invite_reward').columns(['inviter_id', 'created_at']).execute();
  await query.schema.createIndex('invite_reward_invitee').on('invite_reward').columns(['invitee_id', 'state']).execute();
}
