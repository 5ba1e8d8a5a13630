import { hash } from 'node:crypto';
import type { Value } from '../database.ts';
import type { Row, Table } from './side.ts';

/** What a table holds, in an order that does not matter. */
export interface Tally {
  readonly rows: number;
  /** Of all its integers. */
  readonly sum: string;
  /** Differs as soon as any value of any row does. */
  readonly digest: string;
}

const digestBits = 64n;

/** Counts rows as they pass. */
export function startTally({ columns }: Table): { add(rows: readonly Row[]): void; end(): Tally } {
  const integers = columns.flatMap(({ kind }, index) => (kind === 'integer' ? [index] : []));
  let rows = 0;
  let total = 0n;
  let digest = 0n;
  /** Within the safe range; BigInt for each value would take longer than the copy. */
  let part = 0;
  const count = (value: Value | undefined) => {
    if (typeof value !== 'number') return;
    if (!Number.isSafeInteger(part + value)) {
      total += BigInt(part);
      part = 0;
    }
    part += value;
  };
  return {
    add(batch) {
      rows += batch.length;
      let mixed = 0n;
      for (const row of batch) {
        for (const index of integers) count(row[index]);
        mixed += BigInt(`0x${hash('sha256', JSON.stringify(row)).slice(0, Number(digestBits) / 4)}`);
      }
      digest = BigInt.asUintN(Number(digestBits), digest + mixed);
    },
    end: () => ({ rows, sum: String(total + BigInt(part)), digest: digest.toString(16).padStart(16, '0') }),
  };
}
