import { type ColumnBuilderCallback, sql } from 'kysely';
import { type MigrationContext, maxMoney } from './context.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();
const zero: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);
const empty: ColumnBuilderCallback = (column) => column.notNull().defaultTo('');

/** Agents, their shares of payments and what they withdraw; and which node does a job that one node does. */
export async function up(context: MigrationContext): Promise<void> {
  const { query, table, text, int } = context;
  await table('agent')
    .addColumn('user_id', int, (column) => column.notNull().primaryKey())
    .addColumn('status', int, required)
    .addColumn('level', int, (column) => column.notNull().defaultTo(1))
    .addColumn('rate_nano', int)
    .addColumn('contact_name', text, empty)
    .addColumn('contact_phone', text, empty)
    .addColumn('contact_email', text, empty)
    .addColumn('remark', text, empty)
    .addColumn('review_note', text, empty)
    .addColumn('reviewer_id', int, zero)
    .addColumn('created_at', int, required)
    .addColumn('updated_at', int, required)
    .addCheckConstraint('agent_rate_range', sql`rate_nano BETWEEN 0 AND 1000000000`)
    .execute();
  await query.schema.createIndex('agent_status').on('agent').columns(['status', 'user_id']).execute();
  await dividendTable(context);
  await withdrawalTable(context);
  await table('job_lease')
    .addColumn('name', text, (column) => column.notNull().primaryKey())
    .addColumn('node', text, required)
    .addColumn('lease_until', int, required)
    .execute();
  await query.schema.createIndex('users_inviter').on('users').columns(['inviter_id', 'id']).execute();
  await sql`CREATE INDEX transfer_cents ON transfer (user_id, created_at) WHERE unit = 'cent'`.execute(query);
}

async function dividendTable({ query, table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('agent_dividend'))
    .addColumn('agent_id', int, required)
    .addColumn('user_id', int, required)
    .addColumn('topup_id', int, (column) => column.notNull().unique())
    .addColumn('trade_no', text, required)
    .addColumn('topup_money', int, required)
    .addColumn('rate_nano', int, required)
    .addColumn('amount', int, required)
    .addColumn('reversed', int, zero)
    .addColumn('status', int, required)
    .addColumn('mature_at', int, required)
    .addColumn('settled_at', int, zero)
    .addColumn('created_at', int, required)
    .addCheckConstraint('agent_dividend_amount_range', sql`amount BETWEEN 1 AND ${maxMoney}`)
    .addCheckConstraint('agent_dividend_reversed_range', sql`reversed BETWEEN 0 AND amount`)
    .execute();
  await query.schema.createIndex('agent_dividend_agent').on('agent_dividend').columns(['agent_id', 'id']).execute();
  await query.schema.createIndex('agent_dividend_user').on('agent_dividend').columns(['user_id', 'id']).execute();
  await query.schema.createIndex('agent_dividend_due').on('agent_dividend').columns(['status', 'mature_at']).execute();
}

async function withdrawalTable({ query, table, text, int, id }: MigrationContext): Promise<void> {
  await id(table('agent_withdrawal'))
    .addColumn('agent_id', int, required)
    .addColumn('amount', int, required)
    .addColumn('fee', int, required)
    .addColumn('method', text, required)
    .addColumn('payee_name', text, empty)
    .addColumn('payee_account', text, empty)
    .addColumn('bank_name', text, empty)
    .addColumn('quota', int, zero)
    .addColumn('status', int, required)
    .addColumn('reference', text, empty)
    .addColumn('reject_reason', text, empty)
    .addColumn('reviewer_id', int, zero)
    .addColumn('remark', text, empty)
    .addColumn('created_at', int, required)
    .addColumn('updated_at', int, required)
    .addColumn('finished_at', int, zero)
    .addCheckConstraint('agent_withdrawal_amount_range', sql`amount BETWEEN 1 AND ${maxMoney}`)
    .addCheckConstraint('agent_withdrawal_fee_range', sql`fee BETWEEN 0 AND amount`)
    .execute();
  await query.schema.createIndex('agent_withdrawal_agent').on('agent_withdrawal').columns(['agent_id', 'id']).execute();
  await query.schema.createIndex('agent_withdrawal_status').on('agent_withdrawal').columns(['status', 'id']).execute();
}
