import fc from 'fast-check';

/** What the model test can do. Numbers are picks: they select one of what exists at that moment. */
export interface Command {
  kind:
    | 'grant'
    | 'hold'
    | 'holdTwice'
    | 'dispatch'
    | 'checkpoint'
    | 'extend'
    | 'settle'
    | 'settleTwice'
    | 'release'
    | 'free'
    | 'crash'
    | 'lateSettle'
    | 'forget'
    | 'forgottenSettle'
    | 'adminAdjust'
    | 'tokenEdit'
    | 'tokenDelete'
    | 'userDelete'
    | 'priceChange'
    | 'clockSkew';
  pick: number;
  token: number;
  amount: number;
  flag: boolean;
}

const weights: Record<Command['kind'], number> = {
  grant: 2,
  hold: 10,
  holdTwice: 1,
  dispatch: 4,
  checkpoint: 4,
  extend: 3,
  settle: 7,
  settleTwice: 1,
  release: 2,
  free: 2,
  crash: 1,
  lateSettle: 3,
  forget: 2,
  forgottenSettle: 3,
  adminAdjust: 1,
  tokenEdit: 2,
  tokenDelete: 1,
  userDelete: 1,
  priceChange: 1,
  clockSkew: 1,
};

const kind = fc.oneof(
  ...Object.entries(weights).map(([name, weight]) => ({ arbitrary: fc.constant(name as Command['kind']), weight })),
);

export const command: fc.Arbitrary<Command> = fc.record({
  kind,
  pick: fc.nat(1000),
  token: fc.nat(2),
  amount: fc.oneof(fc.nat(20), fc.nat(300), fc.constant(0)),
  flag: fc.boolean(),
});

/** Rounds of commands for several workers; between rounds everybody meets and a sweep runs. */
export function rounds(shape: { rounds: number; workers: number; length: number }): fc.Arbitrary<Command[][][]> {
  const script = fc.array(command, { minLength: shape.length, maxLength: shape.length });
  const round = fc.array(script, { minLength: shape.workers, maxLength: shape.workers });
  return fc.array(round, { minLength: shape.rounds, maxLength: shape.rounds });
}
