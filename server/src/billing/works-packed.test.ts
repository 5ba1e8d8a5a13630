import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packBatch, packResult, unpackBatch, unpackResult } from './works-packed.ts';
import type { Operation } from './works-types.ts';

const number = fc.maxSafeNat();
const word = fc.oneof(fc.string(), fc.constantFrom('', 'a', '模型'));
const located = { id: word, userId: number, tokenId: number };
const draft = fc
  .record({
    ...{ type: number, userId: number, tokenId: number, channelId: number, promptTokens: number, completionTokens: number },
    ...{ useTime: number, isStream: fc.boolean(), username: word, tokenName: word, model: word, group: word, content: word },
    ...{ other: word, requestId: word, ip: word, receipt: word, isHidden: fc.boolean() },
  })
  .map(({ isHidden, ...rest }) => (isHidden ? { ...rest, hidden: true as const } : rest));
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    ...{ ...located, kind: fc.constant('hold'), amount: number, floorCost: number, node: word, now: number, leaseUntil: number },
    ...{ context: word, note: fc.record({ id: word, content: word }), keeper: fc.constantFrom('', 'task') },
  }),
  fc.record({ ...located, kind: fc.constant('settle'), cost: number, now: number, draft }),
  fc.record({ ...located, kind: fc.constant('checkpoint'), meteredCost: number, leaseUntil: number }),
  fc.record({ ...located, kind: fc.constantFrom('dispatch', 'release') }),
);

test('a batch arrives as it was sent, whatever is in it', () => {
  fc.assert(
    fc.property(fc.array(operation), fc.constantFrom('wait', 'skip'), (operations, locks) => {
      expect(unpackBatch(structuredClone(packBatch({ operations, locks })))).toEqual({ operations, locks });
    }),
  );
});

test('a result arrives as it was sent', () => {
  const results = [
    ...[true, false, 'deferred', { ok: true }, { ok: false, reason: 'user', have: 3 }],
    ...[0, 7].map((collected) => ({ closed: true, collected, shortfall: 0, correction: 0 })),
    { closed: true, collected: 7, shortfall: 1, correction: 0 },
    { closed: false, collected: 7, shortfall: 0, correction: -2 },
  ] as const;
  for (const result of results) expect(unpackResult(packResult(result))).toEqual(result);
});
