import type { AsyncTask, TaskAction, TaskPlatform } from '@tollgate/contract';
import {
  task_action_generate,
  task_action_lyrics,
  task_action_music,
  task_action_remix,
  task_platform_video,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';
import type { Sound } from '../../ui/overlays.ts';
import type { TaskFacts } from '../../ui/task/cells.tsx';
import { isFinal } from '../../ui/task/status.ts';

const ahead = 3600;

/** The range when none is chosen: since the start of today, and an hour ahead for clocks that differ. */
export const defaultTaskRange = (nowSeconds: number) => ({
  from: new Date(nowSeconds * 1000).setHours(0, 0, 0, 0) / 1000,
  to: nowSeconds + ahead,
});

interface Face {
  text: () => string;
  tone: Tone;
}

const actions: Record<TaskAction, Face> = {
  MUSIC: { text: task_action_music, tone: 'accent' },
  LYRICS: { text: task_action_lyrics, tone: 'violet' },
  GENERATE: { text: task_action_generate, tone: 'info' },
  REMIX: { text: task_action_remix, tone: 'warn' },
};
const isAction = (action: string): action is TaskAction => Object.hasOwn(actions, action);

/** Word and colour of what was asked for; an action that nobody knows shows itself. */
export function faceOfAction(action: string): { text: string; tone: Tone } {
  return isAction(action) ? { text: actions[action].text(), tone: actions[action].tone } : { text: action, tone: 'grey' };
}

const platforms: Record<TaskPlatform, Face> = {
  mj: { text: () => 'MJ', tone: 'accent' },
  suno: { text: () => 'Suno', tone: 'ok' },
  video: { text: task_platform_video, tone: 'info' },
};
const isPlatform = (platform: string): platform is TaskPlatform => Object.hasOwn(platforms, platform);

/** Word and colour of who does it. */
export function faceOfPlatform(platform: string): { text: string; tone: Tone } {
  return isPlatform(platform)
    ? { text: platforms[platform].text(), tone: platforms[platform].tone }
    : { text: platform, tone: 'grey' };
}

/** Drawings have a page of their own. */
export const platformChoices = Object.keys(platforms).filter((platform) => platform !== 'mj');

/** What the upstream says of a task, readable; "" when it says nothing, or of a video that is not there yet. */
export function resultOf({ platform, status, data }: AsyncTask): string {
  if (data === null || data === undefined || data === '' || (platform === 'video' && !isFinal(status))) return '';
  return typeof data === 'string' ? data : JSON.stringify(data, null, 2);
}

/** Where the server has the video of a task, for the one who had it made. */
export const videoOf = ({ platform, status, user_id, task_id }: AsyncTask, me: number | undefined): string | undefined =>
  platform === 'video' && status === 'SUCCESS' && user_id === me
    ? `/pg/videos/${encodeURIComponent(task_id)}/content`
    : undefined;

/** A song has two or so: what a page is made to load is bounded. */
const mostSounds = 8;

/** The songs of a task that a player can fetch by itself. */
export function soundsOf({ platform, status, data }: AsyncTask): readonly Sound[] {
  if (platform !== 'suno' || status !== 'SUCCESS') return [];
  const clips: readonly { audio_url?: unknown; title?: unknown }[] = (Array.isArray(data) ? data : [data]).filter(
    (clip) => typeof clip === 'object' && clip !== null,
  );
  return clips
    .flatMap(({ audio_url: src, title }) =>
      typeof src === 'string' && src.startsWith('https://') ? [{ src, title: typeof title === 'string' ? title : '' }] : [],
    )
    .slice(0, mostSounds);
}

/** What the common cells need. */
export const factsOf = (row: AsyncTask): TaskFacts => ({
  taskId: row.task_id,
  status: row.status,
  progress: row.progress,
  submitTime: row.submit_time,
  finishTime: row.finish_time,
});
