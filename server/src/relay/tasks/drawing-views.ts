import type { TokenPolicy } from '@tollgate/contract';
import { drawingData, imageAddress, isFinal, type Task } from '../../tasks/index.ts';

/** How addresses of pictures are shown to one caller. */
export interface ImageView {
  readonly policy: TokenPolicy | undefined;
  readonly isForwarded: boolean;
  /** Of this server, without a slash at its end. */
  readonly server: string;
  readonly nowMs: number;
}

/** A drawing as the drawing protocol shows it (contract 6.15). */
export function drawingView(task: Task, view: ImageView): object {
  const { state, input } = task;
  const data = drawingData(task);
  return {
    id: state.upstreamId,
    action: task.action,
    customId: data.customId,
    botType: data.botType,
    prompt: input.prompt ?? '',
    promptEn: data.promptEn,
    description: data.description,
    state: input.state ?? '',
    submitTime: task.submitAtMs,
    startTime: state.startAtMs,
    finishTime: state.finishAtMs,
    imageUrl: shownImage(task, data.imageUrl, view),
    status: state.status,
    progress: `${state.progress}%`,
    failReason: state.failReason,
    buttons: data.buttons,
    maskBase64: data.maskBase64,
    properties: data.properties ?? {},
  };
}

/** Hosts of pictures are replaced here alone. */
const pictureHost = 'https://cdn.discordapp.com';

function shownImage(task: Task, imageUrl: string, { policy, isForwarded, server, nowMs }: ImageView): string {
  if (imageUrl === '') return '';
  const mode = policy?.mj_image_mode || (isForwarded ? 'proxy' : 'origin');
  if (mode === 'custom') return withHost(imageUrl, policy?.mj_image_host ?? '');
  if (mode === 'origin') return imageUrl;
  const address = imageAddress(server, task);
  // What is still being drawn has another picture under the same address a moment later.
  return isFinal(task.state) ? address : `${address}?rand=${Math.round(nowMs * 1_000_000)}`;
}

/** The owner may have named the host alone. */
function withHost(imageUrl: string, host: string): string {
  const root = host.replaceAll(/^\/+|\/+$/g, '');
  if (root === '' || !imageUrl.startsWith(`${pictureHost}/`)) return imageUrl;
  return (/^https?:\/\//i.test(root) ? root : `https://${root}`) + imageUrl.slice(pictureHost.length);
}
