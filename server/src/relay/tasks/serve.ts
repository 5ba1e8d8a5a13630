import type { Authenticated } from '../authenticate.ts';
import { refuseWhenBusy, refuseWithoutSpace } from '../busy.ts';
import { checkAddress } from '../check-key.ts';
import { localFault, RelayFault } from '../faults.ts';
import { isCommon } from './dialects.ts';
import { answerSeed, fetchDrawing, listDrawings, submitDrawing } from './drawing.ts';
import { showImage, takeNotice } from './image-proxy.ts';
import { fetchMusic, listMusic, submitMusic } from './music.ts';
import type { TaskRequest } from './request.ts';
import type { TaskEndpoint } from './routes.ts';
import { streamVideo } from './video-content.ts';
import { fetchVideo, listVideos, removeVideo, submitVideo } from './videos.ts';

type Handle = (request: TaskRequest, who: Authenticated) => Promise<void>;

const table: Readonly<Record<TaskEndpoint['surface'], Partial<Record<TaskEndpoint['does'], Handle>>>> = {
  drawing: { submit: submitDrawing, fetch: fetchDrawing, list: listDrawings, 'image-seed': limited(answerSeed) },
  music: { submit: submitMusic, fetch: fetchMusic, list: listMusic },
  videos: {
    submit: submitVideo,
    fetch: fetchVideo,
    list: listVideos,
    content: limited(streamVideo),
    remove: limited(removeVideo),
  },
};

/** What anybody may call: everything else has a key. */
export function isPublic({ does }: TaskEndpoint): boolean {
  return does === 'image' || does === 'notify';
}

/** Answers what needs no key. Rejects with RelayFault. */
export async function servePublic(request: TaskRequest): Promise<void> {
  refuseWhenBusy(request.parts);
  return request.endpoint.does === 'image' ? showImage(request) : takeNotice(request);
}

/** Answers a caller with a key. Rejects with RelayFault in the surface's own words. */
export async function serveTask(request: TaskRequest, who: Authenticated): Promise<void> {
  const { surface, does } = request.endpoint;
  const handle = table[surface][does];
  if (handle === undefined) throw localFault('api_not_implemented');
  try {
    refuseWhenBusy(request.parts);
    if (does === 'submit') refuseWithoutSpace(request.parts);
    checkAddress(who.key, request.arrival.ip);
    await handle(request, who);
  } catch (error) {
    throw surface === 'drawing' && error instanceof RelayFault ? drawingFault(error) : error;
  }
}

/** Calls that cost no quota count under the limits all the same: they keep an upstream busy. */
function limited(handle: Handle): Handle {
  return async (request, who) => {
    const { parts, arrival } = request;
    const { options } = parts.snapshot();
    const pass = await parts.limiter.enter({ callId: arrival.id, key: who.key, options, tokens: 0 });
    try {
      await handle(request, who);
    } finally {
      pass?.leave();
    }
  };
}

/** The drawing protocol knows two statuses (contract 6.6); what says when to come back keeps its own. */
function drawingFault(fault: RelayFault): RelayFault {
  const { status, code, message, retryAfterSeconds, type } = fault;
  if (isCommon(fault) || status === 429 || retryAfterSeconds !== undefined || status === 413) return fault;
  return new RelayFault({ status: 400, code, message, type });
}
