import { geminiGenerate } from '@tollgate/wire';
import type { Caller, ErrorDialect } from './caller.ts';

/** A caller who wants a stream as one JSON array, whose elements are the events. */
export function arrayCaller(caller: Caller, dialect: ErrorDialect, requestId: string): Caller {
  const framer = geminiGenerate.createArrayFramer();
  const bytesOf = (bytes: Buffer | string) => (typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  const push = (bytes: Buffer | string | undefined) => (bytes === undefined ? undefined : framer.push(bytesOf(bytes)));
  const finish = (last: Buffer | undefined, isWhole: boolean) => {
    const end = framer.end(isWhole);
    caller.end(last === undefined ? end : Buffer.concat([last, end]));
  };
  let isStream = false;
  return {
    get headSent() {
      return caller.headSent;
    },
    get gone() {
      return caller.gone;
    },
    get lastWriteMs() {
      return caller.lastWriteMs;
    },
    startStream() {
      isStream = true;
      caller.startStream('application/json');
    },
    write(bytes) {
      const out = push(bytes);
      return out === undefined || caller.write(out);
    },
    passage: () => undefined,
    end(bytes) {
      if (isStream) finish(push(bytes), true);
      else caller.end(bytes);
    },
    answer: (status, body, contentType) => caller.answer(status, body, contentType),
    note: (name, value) => caller.note(name, value),
    fail(fault) {
      if (isStream && caller.headSent) finish(push(dialect.event(fault, requestId)), false);
      else caller.fail(fault);
    },
    onDrain: (listener) => caller.onDrain(listener),
    onTaken: (listener) => caller.onTaken(listener),
    onGone: (listener) => caller.onGone(listener),
  };
}
