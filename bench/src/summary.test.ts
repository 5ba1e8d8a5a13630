import { describe, expect, it } from 'vitest';
import type { Run } from './bench.ts';
import { coreSecondsOf, cpuSecondsOf } from './proc.ts';
import { spreadOf, summarize } from './summary.ts';
import { streams } from './traffic.ts';

const reading = {
  processSeconds: 0,
  mainThreadSeconds: 0,
  coreBusySeconds: 0,
  stolenSeconds: 0,
  rssMb: 10,
  peakRssMb: 12,
  ownMb: 8,
};

function run(part: Partial<Run>, cpuSeconds: number, counts: Partial<Run['load']> = {}): Run {
  const after = { ...reading, processSeconds: cpuSeconds, mainThreadSeconds: cpuSeconds / 2, coreBusySeconds: cpuSeconds + 0.1 };
  const load = {
    ...{
      seconds: 2,
      answered: 1000,
      totalAnswered: 1200,
      chunks: 0,
      chunkReads: 0,
      longestGapMs: 0,
      totalErrors: 0,
      firstError: undefined,
    },
    ...{ p50Ms: 1, p99Ms: 2, firstByteP50Ms: 1, firstByteP99Ms: 2 },
    ...{ before: reading, after, generatorSeconds: 0.5, mockSeconds: 0.5 },
    ...counts,
  };
  return { round: 1, kind: 'json', target: 'nginx', load, ...part };
}

describe('the figures say what was measured', () => {
  it('takes each ratio within its round, then the median', () => {
    const rounds = [0.02, 0.04, 0.02].map((cpu, index) => run({ round: index + 1 }, cpu));
    const metered = [0.1, 0.12, 0.2].map((cpu, index) => run({ round: index + 1, target: 'gateway', logRows: 1200 }, cpu));
    const unmetered = [0.04, 0.04, 0.04].map((cpu, index) => run({ round: index + 1, target: 'unmetered' }, cpu));
    const { ratios, figures } = summarize({ runs: [...rounds, ...metered, ...unmetered] });
    expect(ratios.call).toEqual({ median: 5, min: 3, max: 10 });
    expect(ratios.unmeteredCall).toEqual({ median: 2, min: 1, max: 2 });
    expect(ratios.callMainThread.median).toBe(2.5);
    expect(figures.find((each) => each.target === 'gateway')?.callCpuUs.median).toBeCloseTo(120);
    expect(figures[0]?.foreignShare.median).toBeCloseTo(0.05);
  });

  it('what two revisions take that run at once is no work of others', () => {
    const coreBusySeconds = 1.3;
    const atOnce = (['gateway', 'other'] as const).map((target, index) => {
      const one = run({ target }, index === 0 ? 0.5 : 0.6);
      return { ...one, load: { ...one.load, after: { ...one.load.after, coreBusySeconds } } };
    });
    const shares = summarize({ runs: atOnce }).figures.map(({ foreignShare }) => foreignShare.median);
    expect(shares.map((share) => share.toFixed(2))).toEqual(['0.10', '0.10']);
  });

  it('takes what is added to latency within its round, too', () => {
    const rounds = [1, 2, 1].map((p50Ms, index) => run({ round: index + 1 }, 0.1, { p50Ms }));
    const metered = [1.5, 4, 2].map((p50Ms, index) => run({ round: index + 1, target: 'gateway' }, 0.1, { p50Ms }));
    expect(summarize({ runs: [...rounds, ...metered] }).ratios.addedP50Ms).toEqual({ median: 1, min: 0.5, max: 2 });
  });

  it.each([
    ['stream', 'chunk'],
    ['long', 'longChunk'],
    ['crowd', 'crowdChunk'],
  ] as const)('divides the CPU of a %s run by its chunks', (kind, name) => {
    const counts = { chunks: 10_000, chunkReads: 8_000 };
    const runs = [run({ kind }, 0.2, counts), run({ kind, target: 'gateway', logRows: 1200 }, 0.3, counts)];
    const { ratios, figures } = summarize({ runs });
    expect(ratios[name].median).toBeCloseTo(1.5);
    expect(figures[1]?.chunkCpuUs.median).toBeCloseTo(30);
    expect(figures[1]?.chunksPerRead.median).toBeCloseTo(1.25);
  });

  it('tells what a chunk costs from what its call costs, by streams of two lengths', () => {
    const pair = (round: number, target: Run['target'], callUs: number, chunkUs: number) =>
      (['stream', 'long'] as const).map((kind) => {
        const chunks = streams[kind].chunks * 20;
        return run(
          { round, kind, target, ...(target === 'gateway' ? { logRows: 1200 } : {}) },
          (20 * callUs + chunks * chunkUs) / 1e6,
          { chunks },
        );
      });
    const both = pair(1, 'nginx', 30, 7).concat(pair(1, 'gateway', 300, 9.1));
    const { oneMoreChunk, chunk } = summarize({ runs: [...both, ...pair(2, 'nginx', 30, 7)] }).ratios;
    expect(oneMoreChunk.median).toBeCloseTo(1.3);
    expect(chunk.max).toBeCloseTo((9.1 + 6) / 7.6);
  });

  it('compares the gateway with that of another revision within each round', () => {
    const ours = [0.1, 0.23, 0.1].map((cpu, index) => run({ round: index + 1, target: 'gateway', logRows: 1200 }, cpu));
    const other = [0.1, 0.2, 0.05].map((cpu, index) => run({ round: index + 1, target: 'other' }, cpu));
    const { ratios, faults } = summarize({ runs: [...ours, ...other] });
    expect(ratios.callOverOther.median).toBeCloseTo(1.15);
    expect(ratios.chunkOverOther.median).toBe(0);
    expect(faults).toEqual([]);
  });

  it('compares a translated call with one that the gateway passes on', () => {
    const metered = { target: 'gateway', logRows: 1200 } as const;
    const { ratios } = summarize({ runs: [run(metered, 0.1), run({ ...metered, kind: 'converted' }, 0.15)] });
    expect(ratios.converted.median).toBeCloseTo(1.5);
    expect(spreadOf([]).median).toBe(ratios.call200.median);
  });

  it('names a run whose log rows or proof do not agree with the answers', () => {
    const runs = [
      run({ target: 'gateway', logRows: 1199 }, 0.1),
      run({ target: 'gateway', logRows: 1200, proofFault: 'x' }, 0.1),
    ];
    expect(summarize({ runs }).faults).toEqual([
      'round 1 json: 1200 calls answered, 1199 log rows',
      "round 1 json: the ledger's proof fails: x",
    ]);
  });

  it('finds the middle of even and odd numbers of rounds', () => {
    expect(spreadOf([4, 1, 3])).toEqual({ median: 3, min: 1, max: 4 });
    expect(spreadOf([4, 1, 3, 2]).median).toBe(2.5);
  });

  it('reads CPU times behind a name with spaces and brackets, and the right core', () => {
    expect(cpuSecondsOf(`1 (a) b) S ${Array.from({ length: 40 }, (_, index) => index).join(' ')}`)).toBeCloseTo(0.21);
    const stat = 'cpu  9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 100 0 0 0 0 0 0 50 0 0\n';
    expect(coreSecondsOf(stat, 1)).toEqual({ busy: 1, stolen: 0.5 });
    expect(coreSecondsOf(stat, 0).busy).toBeCloseTo(0.19);
  });
});
