import { openaiResponses } from '@tollgate/wire';
import type { WebSocket } from 'ws';
import { nowSeconds } from '../platform/clock.ts';
import { type MessageListener, type MessageSocket, messageSocket } from '../platform/http/message-socket.ts';
import { BodyTooLarge, type Serve, type ServedRequest } from '../platform/http/served.ts';
import { requestId } from '../platform/ids.ts';
import type { Ticking } from './active.ts';
import { type ArrivingMessage, createArrivingMessage } from './arriving-message.ts';
import { type BodyPlace, noRoom } from './body-budget.ts';
import { localFault, type RelayFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { type Answered, SocketAnswer } from './socket-answer.ts';
import { errorDialect } from './surface.ts';

type ResponseCreate = openaiResponses.ResponseCreate;

/** As the vendor has it. */
const longestMs = 60 * 60_000;
const longestIdleMs = 10 * 60_000;
const maxLanes = 8;
const maxWaiting = 8;

const codes = { goingAway: 1001, restarting: 1012, later: 1013 } as const;
const dialect = errorDialect('openai-responses');

/** Who opened it, and how its calls come. */
export interface Opening {
  readonly id: string;
  readonly userId: number;
  readonly request: Pick<ServedRequest, 'url' | 'headers' | 'socket'>;
}

/** An answer that a call may continue here although no upstream keeps it. */
interface Held {
  readonly responseId: string;
  /** All that was said up to its end, raw JSON texts joined by commas; undefined = an upstream alone knows. */
  readonly items: string | undefined;
  readonly isKept: boolean;
}

/** Calls of which one runs at a time. */
interface Lane {
  readonly name: string | undefined;
  readonly waiting: { readonly ask: ResponseCreate; readonly bytes: number }[];
  isBusy: boolean;
  answer: SocketAnswer | undefined;
  /** The last answer. */
  held: Held | undefined;
}

/**
 * A WebSocket whose messages are calls, in one or more lanes: each is served, held for, charged and logged as the same call by
 * POST would be. The last answer of a lane stays here, so that a call continues it without saying everything again, whatever
 * its upstream speaks and keeps. `over` resolves when its caller is gone.
 */
export class ResponsesSession implements Ticking {
  readonly over: Promise<void>;
  readonly #parts: RelayParts;
  readonly #relay: Serve;
  readonly #opening: Opening;
  readonly #client: MessageSocket;
  /** What is held. */
  readonly #place: BodyPlace;
  readonly #arriving: ArrivingMessage;
  /** Messages that wait for the calls before theirs. */
  readonly #queue: BodyPlace;
  /** Few. */
  #lanes: Lane[] = [];
  readonly #startedMs: number;
  #activeMs: number;
  #isEnding = false;
  #resolveOver: () => void = () => undefined;

  constructor(parts: RelayParts, relay: Serve, opening: Opening, socket: WebSocket) {
    this.#parts = parts;
    this.#relay = relay;
    this.#opening = opening;
    this.#place = { bytes: 0, userId: opening.userId };
    this.#queue = { bytes: 0, userId: opening.userId };
    this.#arriving = createArrivingMessage(parts.bodies, opening.userId, () => this.#close(codes.later, 'overloaded'));
    this.#startedMs = parts.clock.monotonicMs();
    this.#activeMs = this.#startedMs;
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
    this.#client = messageSocket(socket, parts.clock, this.#clientSide());
  }

  tick(nowMs: number) {
    this.#client.tick();
    if (!this.#isEnding) this.#arriving.see(this.#client.arrivingBytes);
    if (this.#lanes.some(({ isBusy }) => isBusy)) return;
    if (this.#isEnding || !this.#parts.accepting()) this.#close(codes.restarting, 'shutting_down');
    else if (nowMs - this.#startedMs > longestMs) this.#close(codes.goingAway, 'session_expired');
    else if (nowMs - this.#activeMs > longestIdleMs) this.#close(codes.goingAway, 'session_idle');
  }

  /** Calls that run hear of it themselves. */
  shutdown() {
    this.#isEnding = true;
    this.tick(this.#parts.clock.monotonicMs());
  }

  #clientSide(): MessageListener {
    const answers = () => this.#lanes.flatMap(({ answer }) => answer ?? []);
    return {
      message: (bytes) => this.#hear(bytes),
      drained: () => {
        for (const answer of answers()) answer.drained();
      },
      closed: () => {
        this.#isEnding = true;
        for (const answer of answers()) answer.left();
        for (const { waiting } of this.#lanes) waiting.length = 0;
        this.#lanes = [];
        this.#arriving.over();
        for (const place of [this.#place, this.#queue]) this.#parts.bodies.leave(place);
        this.#resolveOver();
      },
    };
  }

  #hear(bytes: Buffer) {
    this.#activeMs = this.#parts.clock.monotonicMs();
    this.#arriving.over();
    if (this.#isEnding) return;
    const ask = openaiResponses.readSocketAsk(bytes);
    if (ask.kind === 'ignored') return;
    if (ask.kind === 'steer') return void this.#send(ask.refusal, undefined);
    if (ask.kind === 'invalid') return this.#tell(localFault('invalid_request', { reason: ask.reason }), undefined);
    const lane = this.#laneOf(ask.lane);
    if (lane === undefined || lane.waiting.length >= maxWaiting)
      return this.#tell(localFault('invalid_request', { reason: 'too many calls at once on one connection' }), ask.lane);
    if (!this.#parts.bodies.grow(this.#queue, bytes.length)) return this.#tell(noRoom(), ask.lane);
    lane.waiting.push({ ask, bytes: bytes.length });
    if (!lane.isBusy) void this.#work(lane);
  }

  #laneOf(name: string | undefined): Lane | undefined {
    const known = this.#lanes.find((lane) => lane.name === name);
    if (known !== undefined) return known;
    if (this.#lanes.length >= maxLanes) {
      const idle = this.#lanes.findIndex(({ isBusy }) => !isBusy);
      if (idle < 0) return undefined;
      this.#lanes.splice(idle, 1);
    }
    const lane: Lane = { name, waiting: [], isBusy: false, answer: undefined, held: undefined };
    this.#lanes.push(lane);
    return lane;
  }

  async #work(lane: Lane): Promise<void> {
    lane.isBusy = true;
    for (let next = lane.waiting.shift(); next !== undefined; next = lane.waiting.shift()) {
      this.#parts.bodies.shrink(this.#queue, next.bytes);
      try {
        await this.#serve(lane, next.ask);
      } catch (error) {
        this.#parts.log.error({ err: error, requestId: this.#opening.id }, 'a call of a conversation failed');
        this.#tell(localFault('internal_error'), lane.name);
      }
      this.#activeMs = this.#parts.clock.monotonicMs();
    }
    lane.isBusy = false;
  }

  async #serve(lane: Lane, ask: ResponseCreate): Promise<void> {
    const { previousId } = ask;
    const source = previousId === undefined ? undefined : this.#lanes.find(({ held }) => held?.responseId === previousId);
    const held = source?.held;
    const before = previousId === undefined && !ask.isInConversation ? '' : held?.items;
    if (!ask.generates && before === undefined)
      return this.#tell(localFault('previous_response_not_found', { id: previousId ?? '' }), lane.name);
    const isSaidAgain = held !== undefined && (await this.#isAlone(held));
    // Nobody would hear the answer, or of its charge.
    if (!this.#client.isOpen) return;
    const { clock } = this.#parts;
    const { responseId, items: said } = await this.#answer(lane, (answer) => {
      if (ask.generates) this.#relay(this.#requestOf(ask.call(isSaidAgain ? before : undefined)), answer);
      else answer.end(openaiResponses.emptyAnswer(requestId(clock), ask.model, nowSeconds(clock)));
    });
    // As the vendor has it: what a call that failed would have continued is forgotten, too.
    if (responseId === undefined) return this.#keep(source ?? lane, undefined);
    const items = before === undefined ? undefined : openaiResponses.joined([before, ask.input, said]);
    this.#keep(lane, { responseId, items, isKept: ask.isKept && ask.generates });
  }

  /** No upstream is known to keep it. */
  async #isAlone({ responseId, items, isKept }: Held): Promise<boolean> {
    if (items === undefined) return false;
    return !isKept || typeof (await this.#parts.responseOwners.find(this.#opening.userId, responseId)) !== 'object';
  }

  #answer(lane: Lane, begin: (answer: SocketAnswer) => void): Promise<Answered> {
    const place: BodyPlace = { bytes: 0, userId: this.#opening.userId };
    const answer = new SocketAnswer({
      send: (text) => this.#send(text, lane.name),
      moreRoom: (bytes) => this.#parts.bodies.grow(place, bytes),
      brokenOff: this.#told(localFault('stream_response_error')),
    });
    lane.answer = answer;
    begin(answer);
    return answer.over.finally(() => {
      lane.answer = undefined;
      this.#parts.bodies.leave(place);
    });
  }

  #requestOf(call: Buffer): ServedRequest {
    const { url, headers, socket } = this.#opening.request;
    return {
      ...{ method: 'POST', url, socket },
      headers: { ...headers, 'content-length': String(call.length) },
      body: (maxBytes) => (call.length > maxBytes ? Promise.reject(new BodyTooLarge()) : call),
      leaveUnread: () => undefined,
    };
  }

  /** Where others want the room for what was said, it is forgotten: the caller says it again. */
  #keep(lane: Lane, held: Held | undefined) {
    if (this.#isEnding) return;
    lane.held = held;
    const bytes = this.#lanes.reduce((sum, { held: each }) => sum + Buffer.byteLength(each?.items ?? ''), 0);
    const forget = () => {
      for (const each of this.#lanes) each.held = undefined;
    };
    if (!this.#parts.bodies.spare(this.#place, bytes, forget)) forget();
  }

  #send(text: string, lane: string | undefined): boolean {
    return this.#client.send(Buffer.from(openaiResponses.inLane(text, lane)), false);
  }

  #tell(fault: RelayFault, lane: string | undefined) {
    this.#send(this.#told(fault), lane);
  }

  #told(fault: RelayFault): string {
    return openaiResponses.socketError(fault.status, dialect.body(fault, this.#opening.id));
  }

  #close(code: number, reason: string) {
    this.#isEnding = true;
    // Who was told good-bye has its time to answer.
    if (this.#client.isOpen) this.#client.close(code, reason);
  }
}
