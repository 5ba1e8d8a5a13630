import type { Clock } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { type Call, signedIn } from './types.ts';

/** How many exports run at once; each holds one batch of rows in memory. */
const perUser = 2;
const inAll = 6;
/** A client that reads nothing for so long is gone. */
const idleMs = 60_000;

export interface Downloads {
  /**
   * Answers a file that is called after what it holds and the day, once its first text is read: what fails until then can still be
   * said. Throws PublicError `log_streams_crowded`, and whatever that text does.
   */
  file(call: Pick<Call, 'identity'>, file: DownloadFile): Promise<Response>;
}

interface DownloadFile {
  /** `log`, `dividends`. */
  name: string;
  /** Default csv. */
  format?: keyof typeof contentTypes;
  texts: AsyncGenerator<string>;
}

const contentTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const;

export function createDownloads({ clock }: { clock: Clock }): Downloads {
  const places = createStreamPlaces();
  return {
    async file(call, { name, format = 'csv', texts }) {
      const release = places.take(signedIn(call).user.id);
      const first = await texts.next().catch((error: unknown) => {
        release();
        throw error;
      });
      const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
      const headers = {
        'Content-Type': contentTypes[format],
        'Content-Disposition': `attachment; filename="${name}-${day}.${format}"`,
      };
      return streamed({ first, texts, release, headers });
    },
  };
}

interface StreamPlaces {
  /** The place is given back once. */
  take(userId: number): () => void;
}

function createStreamPlaces(): StreamPlaces {
  const taken = new Map<number, number>();
  let all = 0;
  return {
    take(userId) {
      const mine = taken.get(userId) ?? 0;
      if (mine >= perUser || all >= inAll) throw new PublicError('log_streams_crowded', {}, 30);
      taken.set(userId, mine + 1);
      all += 1;
      let given = false;
      return () => {
        if (given) return;
        given = true;
        all -= 1;
        const left = (taken.get(userId) ?? 1) - 1;
        if (left === 0) taken.delete(userId);
        else taken.set(userId, left);
      };
    },
  };
}

interface StreamParts {
  first: IteratorResult<string, unknown>;
  /** Behind the first one. */
  texts: AsyncGenerator<string>;
  /** Called once, however it ends. */
  release(): void;
  headers: Readonly<Record<string, string>>;
}

/** An answer that is written as fast as the client reads it. An error on the way cuts it off: nothing ends like a whole file. */
function streamed({ first, texts, release, headers }: StreamParts): Response {
  let known: typeof first | undefined = first;
  let idle: NodeJS.Timeout | undefined;
  const finish = () => {
    clearTimeout(idle);
    release();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(idle);
        try {
          const next = known ?? (await texts.next());
          known = undefined;
          if (next.done === true) {
            finish();
            return controller.close();
          }
          controller.enqueue(Buffer.from(next.value));
          idle = setTimeout(() => {
            controller.error(new Error('The client stopped reading'));
            finish();
          }, idleMs);
          idle.unref();
        } catch (error) {
          finish();
          throw error;
        }
      },
      cancel() {
        finish();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers });
}
