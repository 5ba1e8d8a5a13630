import { hiddenJson, realtime } from '@tollgate/wire';
import type { WebSocket } from 'ws';
import { cutCode, type MessageListener, type MessageSocket, messageSocket } from '../platform/http/message-socket.ts';
import type { Ticking } from './active.ts';
import { localFault, plainEvidence, RelayFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { type Agreed, judgedMessage } from './realtime-caller.ts';
import { Inbox } from './realtime-inbox.ts';
import { Naming } from './realtime-naming.ts';
import type { Turns } from './realtime-turns.ts';
import { hiderOf } from './refusal-fault.ts';

interface Message {
  readonly bytes: Buffer;
  readonly isBinary: boolean;
}

const longestMs = 60 * 60_000;
const longestIdleMs = 10 * 60_000;
/** Said before the upstream was there. */
const maxEarlyBytes = 1024 * 1024;

/** Close codes of RFC 6455 and its registry. */
const codes = { goingAway: 1001, policy: 1008, failed: 1011, restarting: 1012, later: 1013 } as const;
const payLater: ReadonlySet<string> = new Set([
  'turn_quota_insufficient',
  'insufficient_user_quota',
  'pre_consume_token_quota_failed',
  'stream_quota_exhausted',
]);

/**
 * One conversation over two sockets. Messages pass in order and unchanged; at the bounds of a turn the upstream's wait
 * until its money is durable. However it ends, every turn is closed once, and `over` resolves.
 */
export class RealtimeSession implements Ticking {
  readonly over: Promise<void>;
  readonly #parts: RelayParts;
  readonly #id: string;
  readonly #client: MessageSocket;
  readonly #gone = new AbortController();
  readonly #startedMs: number;
  #activeMs: number;
  #early: Message[] = [];
  #earlyBytes = 0;
  #naming: Naming | undefined;
  #agreed: Agreed | undefined;
  #upstream: MessageSocket | undefined;
  readonly #inbox: Inbox;
  #isClientFull = false;
  #isEnding = false;
  #resolveOver: () => void = () => undefined;

  constructor(parts: RelayParts, id: string, socket: WebSocket) {
    this.#parts = parts;
    this.#id = id;
    this.#startedMs = parts.clock.monotonicMs();
    this.#activeMs = this.#startedMs;
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
    this.#inbox = new Inbox(
      () => this.#flow(),
      (error) => this.#failed(error),
    );
    this.#client = messageSocket(socket, parts.clock, this.#clientSide());
  }

  /** Aborts when the caller leaves. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * The model that the caller's messages name, where the address does not. The caller may wait for the session before it says
   * anything, so that it is told of it here. Rejects with RelayFault.
   */
  named(isOlder: boolean): Promise<string> {
    this.#naming = new Naming();
    this.#client.send(realtime.greeting(this.#id, isOlder), false);
    return this.#naming.model;
  }

  /** Both sides may talk. Throws RelayFault when it is over already. */
  start(agreed: Agreed) {
    const { socket } = agreed.connected;
    if (this.#isEnding) {
      socket.terminate();
      throw localFault('caller_left');
    }
    this.#agreed = agreed;
    this.#upstream = messageSocket(socket, this.#parts.clock, this.#upstreamSide());
    this.#client.resume();
    for (const message of this.#early.splice(0)) this.#fromClient(message);
  }

  /** Tells the caller why and ends the session. */
  stop(fault: RelayFault, code: number = codeOf(fault)) {
    if (this.#isEnding) return;
    this.#naming?.fail(fault);
    this.#tell(fault);
    this.#end('ours', () => this.#client.close(code, fault.code));
  }

  tick(nowMs: number) {
    this.#client.tick();
    this.#upstream?.tick();
    if (nowMs - this.#startedMs > longestMs) return this.stop(localFault('session_expired'), codes.goingAway);
    if (nowMs - this.#activeMs > longestIdleMs) return this.stop(localFault('session_idle'), codes.goingAway);
    const turns = this.#agreed?.turns;
    // A conversation has no end of its own that a restart could wait for.
    if (!this.#parts.accepting() && (turns?.running ?? 0) === 0) return this.shutdown();
    if (turns !== undefined && !this.#isEnding)
      void turns.renew(nowMs).then((fault) => {
        if (fault !== undefined) this.stop(fault);
      });
  }

  shutdown() {
    this.stop(localFault('shutting_down'), codes.restarting);
  }

  #clientSide(): MessageListener {
    return {
      message: (bytes, isBinary) => this.#fromClient({ bytes, isBinary }),
      drained: () => {
        this.#isClientFull = false;
        this.#flow();
      },
      closed: () => {
        this.#naming?.fail(localFault('caller_left'));
        this.#gone.abort();
        this.#upstream?.terminate();
        this.#end('caller', () => undefined);
      },
    };
  }

  #upstreamSide(): MessageListener {
    return {
      message: (bytes, isBinary) => this.#inbox.add(() => this.#fromUpstream({ bytes, isBinary })),
      drained: () => this.#client.resume(),
      closed: (code, reason) =>
        this.#inbox.add(() => {
          this.#upstreamLeft(code, reason);
          return undefined;
        }),
    };
  }

  #fromClient(message: Message) {
    if (this.#isEnding) return;
    this.#activeMs = this.#parts.clock.monotonicMs();
    if (this.#upstream === undefined) {
      this.#early.push(message);
      this.#earlyBytes += message.bytes.length;
      this.#naming?.hear(message.bytes);
      if (this.#earlyBytes <= maxEarlyBytes) return;
      this.#naming?.fail(localFault('invalid_text_request', { reason: 'model is required' }));
      this.#client.pause();
      return;
    }
    const bytes = this.#judged(message.bytes);
    if (bytes !== undefined && !this.#upstream.send(bytes, message.isBinary)) this.#client.pause();
  }

  /** What the upstream gets of a caller's message; undefined = nothing, the caller was told why. */
  #judged(bytes: Buffer): Buffer | undefined {
    try {
      return this.#agreed === undefined ? bytes : judgedMessage(this.#agreed, bytes);
    } catch (error) {
      if (!(error instanceof RelayFault)) throw error;
      this.#tell(error);
      return undefined;
    }
  }

  #fromUpstream({ bytes, isBinary }: Message): Promise<void> | undefined {
    const turns = this.#agreed?.turns;
    this.#activeMs = this.#parts.clock.monotonicMs();
    const event = realtime.readServerEvent(bytes);
    const forward = () => {
      const told = event.kind === 'failed' || event.kind === 'done' ? this.#hidden(bytes) : bytes;
      if (this.#client.send(told, isBinary)) return;
      this.#isClientFull = true;
      this.#flow();
    };
    if (turns === undefined) return undefined;
    switch (event.kind) {
      case 'session':
        turns.sounds(event.sound, this.#agreed?.onlyWrites ? undefined : event.transcriber);
        // The caller was told of its session before there was an upstream.
        if (event.isNew && this.#naming !== undefined) return undefined;
        break;
      case 'begun':
        return turns.begin(event.responseId).then(forward);
      case 'said': {
        const { responseId, textBytes, soundBytes } = event;
        const meter = () => turns.said(responseId, textBytes, soundBytes);
        if (!turns.isRunning(responseId) && !turns.isOver(responseId))
          return turns.begin(responseId).then(() => {
            meter();
            forward();
          });
        meter();
        break;
      }
      case 'transcribed':
        return turns.transcribed(event).then(async () => {
          forward();
          if (!this.#isEnding) await turns.prepare();
        });
      case 'done': {
        const counted = event.isCounted ? { usage: event.usage } : undefined;
        return turns.done(event.responseId, counted).then(async () => {
          forward();
          if (!this.#isEnding) await turns.prepare();
        });
      }
      default:
    }
    forward();
    return undefined;
  }

  /** Where an upstream says why it failed, nothing secret leaves. */
  #hidden(bytes: Buffer): Buffer {
    const channel = this.#agreed?.connected.target.channel;
    const told = channel && hiddenJson(bytes.toString('utf8'), hiderOf(channel));
    return told === undefined ? bytes : Buffer.from(told);
  }

  #failed(error: unknown) {
    if (error instanceof RelayFault) return this.stop(error);
    this.#parts.log.error({ err: error, requestId: this.#id }, 'a session failed');
    this.stop(localFault('billing_unavailable'));
  }

  #flow() {
    if (this.#inbox.isBusy || this.#isClientFull) this.#upstream?.pause();
    else this.#upstream?.resume();
  }

  #upstreamLeft(code: number, reason: string) {
    if (this.#isEnding) return;
    const { connected } = this.#agreed as Agreed;
    const isCut = code === cutCode;
    const isBroken = isCut || code === codes.failed;
    if (isCut) this.#tell(localFault('stream_response_error'));
    const shown = isCut ? 'stream_response_error' : hiderOf(connected.target.channel)(reason);
    this.#end('upstream', () => this.#client.close(isCut ? codes.failed : code, shown), isBroken);
  }

  #tell({ message, type, param, code }: RelayFault) {
    const error = { message: `${message} (request id: ${this.#id})`, type, param, code };
    this.#client.send(realtime.errorEvent(error, this.#id), false);
  }

  /** Closes what is open, first the money, then the caller's side. */
  #end(ending: Parameters<Turns['end']>[0], farewell: () => void, isBroken = false) {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const target = this.#agreed?.connected.target;
    if (target !== undefined && isBroken) this.#parts.watch.health.failed(target, plainEvidence('network', 'broken_off'));
    else if (target !== undefined) this.#parts.watch.succeeded(target);
    this.#gone.abort();
    this.#upstream?.terminate();
    this.#early = [];
    // Behind what has come by now, and before what still comes: no turn begins while the others are closed.
    this.#inbox.add(async () => {
      try {
        await this.#agreed?.turns.end(ending);
      } catch (error) {
        this.#parts.log.error({ err: error, requestId: this.#id }, 'a session could not be closed');
      }
      farewell();
      this.#resolveOver();
    });
  }
}

function codeOf({ status, code }: RelayFault): number {
  if (status === 429 || status === 503 || payLater.has(code)) return codes.later;
  return status >= 500 ? codes.failed : codes.policy;
}
