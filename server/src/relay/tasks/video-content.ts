import { createGatherer, parseJson } from '@tollgate/wire';
import type { UpstreamCall, UpstreamSink } from '../../platform/http/client.ts';
import { transportFault } from '../attempt.ts';
import type { Authenticated } from '../authenticate.ts';
import { localFault, type RelayFault } from '../faults.ts';
import { refusalFault } from '../refusal-fault.ts';
import type { TaskRequest } from './request.ts';
import { upstreamOf, upstreamRequest } from './upstream.ts';
import { ownVideo } from './videos.ts';

const variants = /^[a-z_]{1,32}$/;
const mediaType = /^(?:video|image)\/[a-z0-9.+-]{1,64}$/;
const maxErrorBytes = 64 * 1024;

/** The video itself, from its upstream through to the caller, as fast as the caller reads. Nothing is kept. Rejects with RelayFault. */
export async function streamVideo(request: TaskRequest, who: Authenticated): Promise<void> {
  const { parts, query } = request;
  const task = await ownVideo(request, who);
  if (task.state.status !== 'SUCCESS') throw localFault('video_not_ready');
  const upstream = await upstreamOf(parts, task);
  const variant = query?.get('variant') ?? '';
  if (variant !== '' && !variants.test(variant)) throw localFault('invalid_request', { reason: 'variant' });
  const path = `/videos/${encodeURIComponent(task.state.upstreamId)}/content${variant === '' ? '' : `?variant=${variant}`}`;
  const place = { path: upstream.api.submitPath({ path, mode: '', action: '' }), method: 'GET', accept: '*/*' } as const;
  const asking = upstreamRequest(upstream, place);
  if (asking === undefined) throw localFault('do_request_failed');
  const times = {
    firstByteTimeoutMs: parts.env.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
    idleTimeoutMs: parts.env.UPSTREAM_IDLE_TIMEOUT_MS,
  };
  await new Promise<void>((resolve, reject) => {
    const passing = new Passing(request, (status, bytes) => {
      const error = upstream.api.readError(status, parseJson(bytes.toString('utf8')));
      return refusalFault(upstream.channel, { status, error }, parts.clock.nowMs());
    });
    const done = (fault?: RelayFault) => {
      parts.active.remove(passing);
      if (fault === undefined) resolve();
      else reject(fault);
    };
    parts.active.add(passing);
    passing.start((sink) => parts.upstream.send({ ...asking, ...times }, sink), done);
  });
}

/** One body on its way. */
class Passing {
  readonly #request: TaskRequest;
  readonly #refusal: (status: number, bytes: Buffer) => RelayFault;
  readonly #startedMs: number;
  #call: UpstreamCall | undefined;
  #done: (fault?: RelayFault) => void = () => undefined;
  #status = 0;
  readonly #error = createGatherer(maxErrorBytes);

  constructor(request: TaskRequest, refusal: (status: number, bytes: Buffer) => RelayFault) {
    this.#request = request;
    this.#refusal = refusal;
    this.#startedMs = request.parts.clock.monotonicMs();
  }

  start(send: (sink: UpstreamSink) => UpstreamCall, done: (fault?: RelayFault) => void) {
    this.#done = done;
    const { caller } = this.#request;
    // Who left while the video was looked up is told of no more.
    if (caller.gone) return done();
    caller.onGone(() => this.#stop());
    this.#call = send({
      head: (status, headers) => {
        this.#head(status, headers['content-type']);
      },
      data: (chunk) => this.#data(chunk),
      end: () => this.#end(),
      fault: (fault) => this.#stop(transportFault(fault)),
    });
  }

  tick(nowMs: number) {
    if (nowMs - this.#startedMs > this.#request.parts.env.UPSTREAM_TOTAL_TIMEOUT_MS) this.#stop(localFault('upstream_timeout'));
  }

  shutdown() {
    this.#stop(localFault('shutting_down'));
  }

  #head(status: number, type: string | string[] | undefined) {
    this.#status = status;
    const said = typeof type === 'string' ? (type.split(';')[0] ?? '').trim().toLowerCase() : '';
    // Shown by a browser it must not become a page.
    this.#request.caller.note('x-content-type-options', 'nosniff');
    if (status === 200) this.#request.caller.startStream(mediaType.test(said) ? said : 'application/octet-stream');
  }

  #data(chunk: Buffer) {
    if (this.#status !== 200) {
      this.#error.add(chunk);
      return;
    }
    const { caller } = this.#request;
    if (caller.write(chunk)) return;
    this.#call?.pause();
    caller.onDrain(() => this.#call?.resume());
  }

  #end() {
    if (this.#status !== 200) return this.#stop(this.#refusal(this.#status, this.#error.take()));
    this.#request.caller.end();
    this.#done();
  }

  #stop(fault?: RelayFault) {
    this.#call?.abort();
    this.#done(fault);
  }
}
