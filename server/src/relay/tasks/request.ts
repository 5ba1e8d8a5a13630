import type { ErrorCode, TaskPlatform } from '@tollgate/contract';
import { type JsonObject, scanObject } from '@tollgate/wire';
import type { ServedRequest } from '../../platform/http/served.ts';
import { type Worker, workerOf } from '../../platform/http/user-address.ts';
import type { Task } from '../../tasks/index.ts';
import type { Authenticated } from '../authenticate.ts';
import type { BodyPlace } from '../body-budget.ts';
import type { Arrival } from '../call.ts';
import type { Caller } from '../caller.ts';
import { localFault } from '../faults.ts';
import { readBody } from '../inbound.ts';
import type { RelayParts } from '../parts.ts';
import type { TaskEndpoint } from './routes.ts';

/** A request to one of the surfaces of background work. */
export interface TaskRequest {
  readonly parts: RelayParts;
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly endpoint: TaskEndpoint;
  readonly query: URLSearchParams | undefined;
  readonly contentType: string;
  /** Scheme and host as the caller wrote them; goes into answers to that very caller alone. */
  readonly origin: string;
  /** The operator's service that fetches in our stead. */
  worker(): Worker | undefined;
  /** Rejects with RelayFault. */
  bytes(maxBytes?: number): Promise<Buffer>;
  /** An object; an empty body is an empty one. Rejects with RelayFault. */
  json(maxBytes?: number): Promise<{ readonly body: JsonObject; readonly bytes: Buffer }>;
}

/** The caller's own task of that id; `missing`: what the surface says where there is none. Rejects with RelayFault. */
export async function ownTask(
  { parts }: Pick<TaskRequest, 'parts'>,
  { key }: Authenticated,
  { platform, id, missing }: { readonly platform: TaskPlatform; readonly id: string; readonly missing: ErrorCode },
): Promise<Task> {
  const [task] = await parts.tasks.find({ userId: key.user.id, platform }, [id]);
  if (task === undefined) throw localFault(missing, { id });
  return task;
}

const megabyte = 1024 * 1024;

export interface TaskArrival extends Arrival {
  readonly query: URLSearchParams | undefined;
  readonly body: BodyPlace;
}

/** The request as the surfaces see it. `checkAgain` throws or rejects when the key may not call any more. */
export function taskRequest(
  parts: RelayParts,
  served: ServedRequest,
  caller: Caller,
  arrival: TaskArrival,
  endpoint: TaskEndpoint,
  checkAgain: () => unknown,
): TaskRequest {
  const { headers } = served;
  const contentType = headers['content-type'] ?? '';
  const usual = /^multipart\//i.test(contentType) ? parts.env.MAX_UPLOAD_MB : parts.env.MAX_BODY_MB;
  const bytes = async (maxBytes = usual * megabyte) => {
    const read = await readBody(served, maxBytes, { bodies: parts.bodies, place: arrival.body });
    await checkAgain();
    parts.bodies.came(arrival.body, read.length);
    return read;
  };
  return {
    ...{ parts, arrival, caller, endpoint, contentType, bytes },
    query: arrival.query,
    origin: `${parts.isHttps(served) ? 'https' : 'http'}://${headers.host ?? ''}`,
    worker: () => workerOf(parts.snapshot().options),
    json: async (maxBytes) => readJson(await bytes(maxBytes)),
  };
}

function readJson(bytes: Buffer): { body: JsonObject; bytes: Buffer } {
  if (bytes.length === 0) return { body: {}, bytes };
  const result = scanObject(bytes);
  if (!result.ok) throw localFault('bind_request_body_failed');
  try {
    return { body: JSON.parse(bytes.toString('utf8')) as JsonObject, bytes };
  } catch {
    throw localFault('bind_request_body_failed');
  }
}
