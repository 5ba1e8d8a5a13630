import type { Clock } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { within } from '../platform/within.ts';
import { type Deliver, deliverBySmtp, type Mail, type MailOptions, senderOf } from './mail-transport.ts';

export interface MailerDeps {
  clock: Clock;
  log: Pick<Log, 'warn'>;
  options(): MailOptions;
  deliver?: Deliver;
  /** Pauses before the second and the third try. */
  retryDelaysMs?: readonly number[];
}

export interface Mailer {
  /** Whether a mail could be queued now. Throws PublicError `mail_not_configured` or `mail_crowded`. */
  checkReady(): void;
  /**
   * Queues a mail and waits for its first try, 10 s at most; one that the server puts off stays in the queue. Throws
   * PublicError `mail_not_configured`, `mail_crowded`, `mail_refused`.
   */
  send(mail: Mail): Promise<void>;
  /** Queues a mail and returns at once; what becomes of it is logged. Throws like `checkReady`. */
  post(mail: Mail): void;
  /** Drops what is waiting: a code or a link is worthless later. */
  stop(): void;
}

const maxQueued = 500;
const parallel = 3;
const maxWaitMs = 10_000;
const maxAgeMs = 600_000;
const defaultDelaysMs = [20_000, 120_000];

interface Job {
  mail: Mail;
  queuedMs: number;
  tries: number;
  /** Told of the first try; only who waits learns that it failed. */
  settle: ((failure: PublicError | undefined) => void) | undefined;
}

/** Mails in memory, tried up to three times within ten minutes. */
export function createMailer(deps: MailerDeps): Mailer {
  const { deliver = deliverBySmtp, retryDelaysMs = defaultDelaysMs } = deps;
  const queue: Job[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let running = 0;
  let delayed = 0;
  let stopped = false;

  const work = async (): Promise<void> => {
    running++;
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await attempt(job);
    running--;
  };
  const start = () => {
    // After the answer of who caused it, whose time must not tell whether a mail went out.
    setImmediate(() => {
      if (running < parallel) void work();
    });
  };
  const attempt = async (job: Job): Promise<void> => {
    job.tries++;
    try {
      await deliver(job.mail, deps.options());
      job.settle?.(undefined);
    } catch (error) {
      afterFailure(job, error);
    }
  };
  const afterFailure = (job: Job, error: unknown): void => {
    const failure = describeMailFailure(error);
    deps.log.warn({ ...failure, tries: job.tries }, 'a mail could not be sent');
    const delayMs = retryDelaysMs[job.tries - 1];
    const isLate = deps.clock.monotonicMs() - job.queuedMs + (delayMs ?? 0) > maxAgeMs;
    // Who waits for the answer tries again by themselves, except where the server asked for patience.
    const isHopeless = failure.isFinal || (job.settle !== undefined && !failure.isPutOff);
    const again = delayMs !== undefined && !isLate && !isHopeless && !stopped;
    job.settle?.(again ? undefined : new PublicError('mail_refused', { detail: failure.detail }));
    job.settle = undefined;
    if (!again) return;
    delayed++;
    const timer = setTimeout(() => {
      delayed--;
      timers.delete(timer);
      queue.push(job);
      start();
    }, delayMs);
    timer.unref();
    timers.add(timer);
  };
  const enqueue = (mail: Mail, settle: Job['settle']): void => {
    queue.push({ mail, queuedMs: deps.clock.monotonicMs(), tries: 0, settle });
    start();
  };
  const checkReady = (): void => {
    if (senderOf(deps.options()).address === '') throw new PublicError('mail_not_configured');
    if (stopped || queue.length + delayed >= maxQueued) throw new PublicError('mail_crowded');
  };
  return {
    checkReady,
    async send(mail) {
      checkReady();
      const sent = new Promise<void>((resolve, reject) => {
        enqueue(mail, (failure) => (failure === undefined ? resolve() : reject(failure)));
      });
      await within(sent, maxWaitMs, () => undefined);
    },
    post(mail) {
      checkReady();
      enqueue(mail, undefined);
    },
    stop() {
      stopped = true;
      queue.length = 0;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** What may be shown and logged of a failure: codes, never addresses or what the server quoted. */
export function describeMailFailure(error: unknown): { detail: string; isFinal: boolean; isPutOff: boolean } {
  const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number };
  const detail = [responseCode === 0 ? '' : String(responseCode), code].filter((part) => part !== '').join(' ') || 'unknown';
  return { detail, isFinal: responseCode >= 500 || code === 'EAUTH', isPutOff: responseCode >= 400 && responseCode < 500 };
}
