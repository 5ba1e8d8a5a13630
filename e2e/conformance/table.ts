import { expect } from 'vitest';
import type { Facts, Told } from '../support/mock/vendors/facts.ts';
import { factsOf, toldOf } from '../support/mock/vendors/vendor.ts';
import type { MockRequest } from '../support/mock-upstream.ts';
import { eventually } from '../support/wait.ts';
import { type Column, costOf, modelOf, type Spoil, type World } from './world.ts';

/** What becomes of a feature at an upstream where it does not simply work. */
export type Outcome =
  /** `only` lists what is lost; everything else arrives and is asserted. */
  | { readonly loses: readonly string[] }
  /** The gateway or the upstream says no, with this status: `why` stands in the table. */
  | { readonly refused: number; readonly why: string }
  /** It works in a way that the table should tell. */
  | { readonly note: string };

export type Charge = 'told' | 'none' | 'some';

export interface Cell {
  readonly world: World;
  readonly column: Column;
  readonly model: string;
  /** What is lost here, as the row declares it: the call's own asserts leave it out. */
  lost(name: string): boolean;
}

/** One feature of one SDK. `run` calls and asserts what the SDK returned; `saw` asserts what the upstream understood. */
export interface Row {
  readonly sdk: string;
  readonly feature: string;
  run(cell: Cell): Promise<void>;
  saw?(facts: readonly Facts[], cell: Cell): void;
  /** By upstream; absent = it works. */
  readonly except?: Partial<Record<Column, Outcome>>;
  /** The channel that this row may spoil. */
  readonly spoil?: Spoil;
  /** `told` (the default): price x the upstream's figures; `none`; `some`: the answer was cut, our own count is charged. */
  readonly charge?: Charge;
}

/** Runs one cell and asserts both directions, the losses, the charge and the log. */
export async function runCell(row: Row, column: Column, world: World): Promise<void> {
  const outcome = row.except?.[column];
  const losses = outcome !== undefined && 'loses' in outcome ? outcome.loses : [];
  const cell: Cell = { world, column, model: modelOf(column, row.spoil), lost: (name) => losses.includes(name) };
  world.mock.reset();
  world.recorder.clear();
  const before = await world.balance();
  if (outcome !== undefined && 'refused' in outcome) await assertRefused(row, cell, outcome.refused);
  else {
    await row.run(cell);
    row.saw?.(understood(world), cell);
  }
  const charged = await assertBooks(world, row.charge ?? 'told', losses);
  expect(before - (await world.balance()), 'what left the balance').toBe(charged);
}

async function assertRefused(row: Row, cell: Cell, status: number): Promise<void> {
  const failure = await row.run(cell).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure, 'it works now: the table must say so').toBeDefined();
  expect(cell.world.recorder.exchanges.map((exchange) => exchange.status)).toContain(status);
}

function understood({ mock }: World): Facts[] {
  return mock.requests().flatMap((request: MockRequest) => factsOf(request) ?? []);
}

/** Each answered call has one log row that costs what the upstream told; each refused one costs nothing. Returns the sum. */
export async function assertBooks(world: World, charge: Charge, losses: readonly string[]): Promise<number> {
  const metered = world.recorder.exchanges
    .filter(({ method }) => method === 'POST')
    .filter(({ path }) => !/count_?tokens|input_tokens/i.test(path));
  const tolds = world.mock
    .requests()
    .filter(({ status }) => status === 200)
    .flatMap((request) => toldOf(request) ?? []);
  const seen = new Set<string>();
  let sum = 0;
  for (const { requestId, status, losses: headed, isStream } of metered) {
    const isCharged = charge !== 'none' && status < 400;
    await eventually(async () =>
      expect(await world.rowsOf(requestId), `log rows of ${requestId}`).toHaveLength(isCharged ? 1 : 0),
    );
    const [log] = await world.rowsOf(requestId);
    if (log === undefined) continue;
    const logged = (log.other.losses ?? []) as string[];
    for (const name of logged) seen.add(name);
    // The head of a stream is sent before its answer has lost anything.
    if (isStream) expect(logged).toEqual(expect.arrayContaining([...headed]));
    else expect([...headed].sort()).toEqual([...logged].sort());
    if (charge === 'told') assertCharge(log, tolds.shift());
    else expect(log.quota).toBeGreaterThan(0);
    sum += log.quota;
  }
  expect([...seen].sort(), 'what the gateway says was lost').toEqual([...losses].sort());
  return sum;
}

function assertCharge(log: { quota: number; prompt: number; completion: number }, told: Told | undefined): void {
  if (told === undefined) throw new Error('the upstream told no usage');
  const { quota, prompt, completion } = log;
  expect({ quota, prompt, completion }).toEqual({ quota: costOf(told), prompt: told.prompt, completion: told.completion });
}

/** The word that stands in the table for a cell. */
export function verdict({ except }: Row, column: Column): string {
  const outcome = except?.[column];
  if (outcome === undefined) return 'works';
  if ('note' in outcome) return `works, ${outcome.note}`;
  return 'loses' in outcome ? `loss: ${[...outcome.loses].sort().join(', ')}` : `refused: ${outcome.why}`;
}
