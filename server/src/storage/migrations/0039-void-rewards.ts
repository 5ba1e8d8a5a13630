import { sql } from 'kysely';
import type { MigrationContext } from './context.ts';

/** Rewards that waited for the first payment of an account that had gone before those were void with it. */
export async function up({ query }: MigrationContext): Promise<void> {
  await sql`UPDATE invite_reward SET state = 'void' WHERE state = 'waiting' AND due_at = -1
    AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = invite_reward.invitee_id AND users.deleted_at IS NULL)`.execute(query);
}
