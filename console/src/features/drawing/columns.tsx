import type { Drawing } from '@tollgate/contract';
import {
  col_channel,
  task_col_action,
  task_col_code,
  task_col_duration,
  task_col_id,
  task_col_image,
  task_col_progress,
  task_col_prompt,
  task_col_prompt_en,
  task_col_reason,
  task_col_status,
  task_col_submit,
  task_image_alt,
  task_show_of,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ChannelBadge } from '../../ui/ChannelBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import {
  costColumn,
  ImageLink,
  LongText,
  TaskDuration,
  TaskId,
  TaskProgress,
  TaskStatusBadge,
  userColumn,
} from '../../ui/task/cells.tsx';
import { reasonText } from '../../ui/task/reasons.ts';
import { faceOfAction, faceOfCode, factsOf } from './model.ts';

function Action({ row }: { row: Drawing }) {
  const { text, tone } = faceOfAction(row.action);
  return <Badge tone={tone}>{text}</Badge>;
}

function Code({ row }: { row: Drawing }) {
  const { text, tone } = faceOfCode(row.code);
  return (
    <Badge tone={tone} tip={row.description || undefined}>
      {text}
    </Badge>
  );
}

function Image({ row }: { row: Drawing }) {
  return (
    <ImageLink
      src={row.image_url}
      title={task_show_of({ what: task_col_image(), id: row.mj_id })}
      alt={row.prompt || task_image_alt({ id: row.mj_id })}
    />
  );
}

/** The columns of the drawing log, in the order of the table; administrators also see channel, user, submit result and status. */
export function drawingColumns(admin: boolean): readonly Column<Drawing>[] {
  const forAdmin = (...columns: Column<Drawing>[]) => (admin ? columns : []);
  const text = (id: string, header: () => string, value: (row: Drawing) => string, tone?: 'bad'): Column<Drawing> => ({
    id,
    header,
    cell: (row) => value(row) !== '' && <LongText title={header()} taskId={row.mj_id} text={value(row)} tone={tone} />,
  });
  return [
    {
      id: 'submit',
      header: task_col_submit,
      card: 'title',
      fixed: true,
      cell: (row) => row.submit_time > 0 && <Time seconds={Math.floor(row.submit_time / 1000)} />,
    },
    { id: 'duration', header: task_col_duration, cell: (row) => <TaskDuration task={factsOf(row)} /> },
    ...forAdmin(
      { id: 'channel', header: col_channel, cell: (row) => row.channel_id > 0 && <ChannelBadge id={row.channel_id} /> },
      userColumn,
    ),
    { id: 'action', header: task_col_action, card: 'corner', cell: (row) => <Action row={row} /> },
    { id: 'task', header: task_col_id, cell: (row) => row.mj_id !== '' && <TaskId id={row.mj_id} /> },
    ...forAdmin(
      { id: 'code', header: task_col_code, cell: (row) => <Code row={row} /> },
      { id: 'status', header: task_col_status, cell: (row) => <TaskStatusBadge status={row.status} /> },
    ),
    { id: 'progress', header: task_col_progress, cell: (row) => <TaskProgress task={factsOf(row)} /> },
    costColumn,
    { id: 'image', header: task_col_image, cell: (row) => row.image_url !== '' && <Image row={row} /> },
    text('prompt', task_col_prompt, (row) => row.prompt),
    text('prompt_en', task_col_prompt_en, (row) => row.prompt_en),
    text('reason', task_col_reason, (row) => reasonText(row.fail_reason), 'bad'),
  ];
}
