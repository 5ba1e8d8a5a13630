import type { AsyncTask } from '@tollgate/contract';
import {
  col_channel,
  task_col_action,
  task_col_duration,
  task_col_finish,
  task_col_id,
  task_col_platform,
  task_col_progress,
  task_col_prompt,
  task_col_reason,
  task_col_result,
  task_col_status,
  task_col_submit,
  task_result_show,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ChannelBadge } from '../../ui/ChannelBadge.tsx';
import type { Sound } from '../../ui/overlays.ts';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { costColumn, LongText, TaskDuration, TaskId, TaskProgress, TaskStatusBadge, userColumn } from '../../ui/task/cells.tsx';
import { reasonText } from '../../ui/task/reasons.ts';
import { faceOfAction, faceOfPlatform, factsOf, resultOf, soundsOf, videoOf } from './model.ts';

function Face({ text, tone }: ReturnType<typeof faceOfAction>) {
  return <Badge tone={tone}>{text}</Badge>;
}

interface TextLook {
  tone?: 'bad';
  /** Stands in the cell for the text. */
  shown?: () => string;
  video?: (row: AsyncTask) => string | undefined;
  sounds?: (row: AsyncTask) => readonly Sound[];
}

function text(id: string, header: () => string, value: (row: AsyncTask) => string, look: TextLook = {}): Column<AsyncTask> {
  return {
    id,
    header,
    cell: (row) =>
      value(row) !== '' && (
        <LongText
          {...{ title: header(), taskId: row.task_id, text: value(row), tone: look.tone }}
          {...{ video: look.video?.(row), sounds: look.sounds?.(row) }}
        >
          {look.shown?.()}
        </LongText>
      ),
  };
}

/** The columns of the task log, in the order of the table, for who is signed in; administrators also see the channel and the user. */
export function taskColumns(admin: boolean, me: number | undefined): readonly Column<AsyncTask>[] {
  const channel: Column<AsyncTask> = {
    id: 'channel',
    header: col_channel,
    cell: (row) => row.channel_id > 0 && <ChannelBadge id={row.channel_id} />,
  };
  return [
    {
      id: 'submit',
      header: task_col_submit,
      card: 'title',
      fixed: true,
      cell: (row) => row.submit_time > 0 && <Time seconds={row.submit_time} />,
    },
    { id: 'finish', header: task_col_finish, cell: (row) => row.finish_time > 0 && <Time seconds={row.finish_time} /> },
    { id: 'duration', header: task_col_duration, cell: (row) => <TaskDuration task={factsOf(row)} /> },
    ...(admin ? [channel, userColumn] : []),
    { id: 'platform', header: task_col_platform, cell: (row) => <Face {...faceOfPlatform(row.platform)} /> },
    { id: 'action', header: task_col_action, cell: (row) => <Face {...faceOfAction(row.action)} /> },
    { id: 'task', header: task_col_id, cell: (row) => row.task_id !== '' && <TaskId id={row.task_id} /> },
    { id: 'status', header: task_col_status, card: 'corner', cell: (row) => <TaskStatusBadge status={row.status} /> },
    costColumn,
    { id: 'progress', header: task_col_progress, cell: (row) => <TaskProgress task={factsOf(row)} /> },
    text('prompt', task_col_prompt, (row) => row.properties.input),
    text('result', task_col_result, resultOf, { shown: task_result_show, video: (row) => videoOf(row, me), sounds: soundsOf }),
    text('reason', task_col_reason, (row) => reasonText(row.fail_reason), { tone: 'bad' }),
  ];
}
