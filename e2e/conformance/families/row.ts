import { expect } from 'vitest';
import { assertBooks, type Charge } from '../table.ts';
import type { World } from '../world.ts';

/** One feature beside conversations, over one upstream. `run` asserts what the client returned and what was asked. */
export interface FamilyRow {
  readonly sdk: string;
  readonly feature: string;
  /** Its shape, as the table names it. */
  readonly upstream: string;
  run(world: World): Promise<void>;
  readonly charge?: Charge;
  readonly losses?: readonly string[];
}

export async function runFamily(row: FamilyRow, world: World): Promise<void> {
  world.mock.reset();
  world.recorder.clear();
  const before = await world.balance();
  await row.run(world);
  const charged = await assertBooks(world, row.charge ?? 'told', row.losses ?? []);
  expect(before - (await world.balance()), 'what left the balance').toBe(charged);
}
