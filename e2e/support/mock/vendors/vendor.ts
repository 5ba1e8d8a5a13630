import { type Dialect, jsonAnswer, type MockAnswer } from '../dialect.ts';
import type { MockRequest } from '../records.ts';
import type { MockScript } from '../script.ts';
import { replyTo } from './brain.ts';
import { type Facts, joinTurns, type Reply, type Told } from './facts.ts';
import { VendorError } from './strict.ts';

/** A dialect as its vendor plays it, written without a look at the product's codecs: their errors would cancel out. */
export interface Vendor {
  /** Refuses with a VendorError whatever the vendor would refuse. */
  read(request: MockRequest): Facts;
  whole(reply: Reply, facts: Facts): unknown;
  stream(reply: Reply, facts: Facts): readonly StreamPiece[];
  error(status: number, message: string): unknown;
}

/** One event: its name, where the dialect names events, and its data. */
export interface StreamPiece {
  readonly name?: string;
  readonly data: unknown;
}

const ends = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/** The events of a stream as bytes, with the line ends of the script. */
export function eventPieces(pieces: readonly StreamPiece[], script: MockScript): Buffer[] {
  const end = ends[script.eol ?? 'lf'];
  return pieces.map(({ name, data }) => {
    const json = typeof data === 'string' ? data : JSON.stringify(data);
    return Buffer.from(`${name === undefined ? '' : `event: ${name}${end}`}data: ${json}${end}${end}`);
  });
}

const facts = new WeakMap<MockRequest, Facts>();
const told = new WeakMap<MockRequest, Told>();

/** What the vendor understood of a request; undefined when it refused. */
export const factsOf = (request: MockRequest): Facts | undefined => facts.get(request);

/** What the vendor said that a request used; undefined when it said nothing. */
export const toldOf = (request: MockRequest): Told | undefined => told.get(request);

export function tell(request: MockRequest, usage: Told): void {
  told.set(request, usage);
}

/** The path of a chat dialect. */
export function chatRoute(vendor: Vendor): Dialect {
  return guarded(vendor.error, (request, script) => {
    const read = vendor.read(request);
    const understood = { ...read, turns: joinTurns(read.turns) };
    facts.set(request, understood);
    const reply = replyTo(understood);
    told.set(request, reply.told);
    if (!understood.stream) return jsonAnswer(200, vendor.whole(reply, understood));
    const pieces = eventPieces(vendor.stream(reply, understood), script);
    return { status: 200, contentType: 'text/event-stream; charset=utf-8', pieces, paced: true };
  });
}

/** Turns refusals into the vendor's error bodies. */
export function guarded(error: Vendor['error'], dialect: Dialect): Dialect {
  return (request, script): MockAnswer => {
    try {
      return dialect(request, script);
    } catch (failure) {
      if (failure instanceof VendorError) return jsonAnswer(failure.status, error(failure.status, failure.message));
      throw failure;
    }
  };
}
