import { asWord } from '@tollgate/wire';
import { drawingData } from '../../tasks/index.ts';
import type { TaskRequest } from './request.ts';

/** What browsers show without running anything in it. */
const shown = /^image\/(?:png|jpeg|gif|webp|avif|bmp|heic)$/;

/**
 * Pictures of drawings for whoever has their random name (contract 6.15): fetched through the guard that all addresses
 * of strangers pass, bounded in size, time and number, and only if they are pictures.
 */
export async function showImage({ parts, caller, endpoint, worker }: TaskRequest): Promise<void> {
  const task = await parts.tasks.published(endpoint.id);
  const imageUrl = task === undefined ? '' : drawingData(task).imageUrl;
  if (imageUrl === '') return caller.answer(400, JSON.stringify({ error: 'midjourney_task_not_found' }));
  const file = await parts.userFetch(imageUrl, worker()).catch(() => undefined);
  if (file === undefined || !shown.test(file.mediaType))
    return caller.answer(500, JSON.stringify({ error: 'http_get_image_failed' }));
  caller.note('cache-control', task?.state.status === 'SUCCESS' ? 'public, max-age=86400' : 'no-cache');
  caller.note('content-security-policy', "default-src 'none'; sandbox");
  caller.note('x-content-type-options', 'nosniff');
  caller.answer(200, file.bytes, file.mediaType);
}

const maxNoticeBytes = 8_192;

/**
 * An upstream says that there is news. Anybody could say so: nothing of it is believed, the task is asked about at its
 * upstream a moment later. The answer is the same whatever is known of it.
 */
export async function takeNotice(request: TaskRequest): Promise<void> {
  const { body } = await request.json(maxNoticeBytes);
  const id = asWord(body.id).slice(0, 255);
  if (id !== '') await request.parts.tasks.hasten(id);
  request.caller.answer(200, JSON.stringify({ code: 1, description: 'ok', result: id }));
}
