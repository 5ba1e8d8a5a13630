import { expect } from 'vitest';
import { eventually } from '../../support/wait.ts';
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
  /** What sessions came to, which no call shows. */
  charged?(world: World): Promise<number>;
}

/** What the owner has after the last row. A session gives back what it held a little after its end, so it is not read again. */
const balances = new WeakMap<World, number>();

export async function runFamily(row: FamilyRow, world: World): Promise<void> {
  world.mock.reset();
  world.recorder.clear();
  const before = balances.get(world) ?? (await world.balance());
  await row.run(world);
  const inCalls = await assertBooks(world, row.charge ?? 'told', row.losses ?? []);
  const after = before - inCalls - ((await row.charged?.(world)) ?? 0);
  balances.set(world, after);
  await eventually(async () => expect(await world.balance(), 'what is left of the balance').toBe(after));
}
