import { Link } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import {
  col_cost,
  col_user,
  task_copy_id,
  task_image_show,
  task_progress,
  task_running,
  task_show_of,
  wallet_held,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { nowSeconds } from '../../lib/time.ts';
import { Badge } from '../Badge.tsx';
import { CopyButton } from '../CopyButton.tsx';
import { previews, type Sound } from '../overlays.ts';
import { ProgressBar } from '../ProgressBar.tsx';
import { Quota } from '../Quota.tsx';
import type { Column } from '../table/columns.ts';
import { durationTone, faceOfStatus, isFinal, percentOf } from './status.ts';

/** What the cells of drawings and of other tasks have in common. Times are unix seconds, 0 = not yet. */
export interface TaskFacts {
  /** The upstream's id, "" until it gave one. */
  taskId: string;
  status: string;
  progress: string;
  submitTime: number;
  finishTime: number;
}

export function TaskStatusBadge({ status }: { status: string }) {
  const { text, tone } = faceOfStatus(status);
  return <Badge tone={tone}>{text()}</Badge>;
}

/** How far it is; a failure fills the bar, in red. */
export function TaskProgress({ task }: { task: TaskFacts }) {
  const percent = percentOf(task.progress);
  const tone = task.status === 'FAILURE' ? 'bad' : task.status === 'SUCCESS' ? 'ok' : 'accent';
  return (
    <span className="inline-flex w-24 items-center gap-1.5 max-sm:w-40">
      <ProgressBar
        tone={tone}
        max={100}
        value={percent}
        aria-label={task_progress({ status: faceOfStatus(task.status).text(), percent })}
      />
      <span aria-hidden className="w-9 shrink-0 text-end text-xs tabular-nums">
        {percent}%
      </span>
    </span>
  );
}

/** From the submit to the end; what still runs, so far. */
export function TaskDuration({ task }: { task: TaskFacts }) {
  const { submitTime, finishTime, status } = task;
  if (submitTime === 0) return null;
  if (finishTime > 0) {
    const seconds = Math.max(0, finishTime - submitTime);
    return <Badge tone={durationTone(seconds)}>{formatUnits(Math.round(seconds))} s</Badge>;
  }
  if (isFinal(status)) return null;
  const seconds = Math.max(0, Math.round(nowSeconds() - submitTime));
  return <Badge tip={task_running({ seconds })}>{formatUnits(seconds)} s</Badge>;
}

/** What a task took, or holds until it ends; a failed one gave it back. */
export const costColumn: Column<{ quota: number; status: string }> = {
  id: 'cost',
  header: col_cost,
  end: true,
  cell: ({ quota, status }) =>
    quota > 0 &&
    status !== 'FAILURE' && (
      <>
        {!isFinal(status) && <span className="text-muted text-xs">{wallet_held()} </span>}
        <Quota value={quota} />
      </>
    ),
};

/** Whose it is, for administrators: leads to the user. */
export const userColumn: Column<{ user_id: number; username: string }> = {
  id: 'user',
  header: col_user,
  clip: true,
  cell: ({ user_id: id, username: name }) => (
    <Link to="/user" search={{ keyword: name || String(id) }} preload={false}>
      {name || `#${id}`}
    </Link>
  ),
};

export function TaskId({ id }: { id: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="max-w-[13ch] truncate text-xs min-[1680px]:max-w-[24ch]" data-tip={id}>
        {id}
      </code>
      <CopyButton text={id} label={task_copy_id()} />
    </span>
  );
}

interface LongTextProps {
  /** Names the dialog: the column. */
  title: string;
  taskId: string;
  text: string;
  /** Where the server has the video that the text is about. */
  video?: string | undefined;
  sounds?: readonly Sound[] | undefined;
  tone?: 'bad';
  /** Shown in the cell instead of the text. */
  children?: ReactNode;
}

/** A text that is cut in its cell and opens in full. */
export function LongText({ title, taskId, text, video, sounds, tone, children }: LongTextProps) {
  return (
    <button
      type="button"
      className={`block min-h-6 max-w-[7em] truncate text-start min-[1680px]:max-w-[14em] underline-offset-2 hover:underline max-sm:max-w-full ${tone === 'bad' ? 'text-bad' : children ? 'text-accent' : ''}`}
      aria-haspopup="dialog"
      onClick={() => previews.set({ kind: 'text', title: task_show_of({ what: title, id: taskId }), text, video, sounds })}
    >
      {children ?? text}
    </button>
  );
}

/** Opens the picture in the page; with a modifier key, or the middle button, as the link that it is. */
export function ImageLink({ src, title, alt }: { src: string; title: string; alt: string }) {
  const show = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    previews.set({ kind: 'image', title, src, alt });
  };
  return (
    <a href={src} target="_blank" rel="noreferrer" className="py-1" aria-haspopup="dialog" onClick={show}>
      {task_image_show()}
    </a>
  );
}
