import { type SampleKind, sampleKinds, sampleNames } from '../lib/samples.ts';

/** In what a sample call is written: a chip each. */
export const SampleKinds = ({ kind, onChoose }: { kind: SampleKind; onChoose(kind: SampleKind): void }) =>
  sampleKinds.map((each) => (
    <button key={each} type="button" className="chip" aria-pressed={each === kind} onClick={() => onChoose(each)}>
      {sampleNames[each]}
    </button>
  ));
