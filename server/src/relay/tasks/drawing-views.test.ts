import { neutralPolicy } from '@tollgate/contract';
import { expect, test } from 'vitest';
import type { Task } from '../../tasks/index.ts';
import { drawingView } from './drawing-views.ts';

const imageUrl = 'https://cdn.discordapp.com/attachments/1/a.png';
const state: Partial<Task['state']> = { status: 'SUCCESS', data: JSON.stringify({ imageUrl }) };
const task = { publicId: 'abc', input: {}, state } as Task;

test.each([
  ['https://img.example.com/', 'https://img.example.com/attachments/1/a.png'],
  ['http://img.example.com/cdn', 'http://img.example.com/cdn/attachments/1/a.png'],
  ['img.example.com', 'https://img.example.com/attachments/1/a.png'],
  ['//img.example.com/', 'https://img.example.com/attachments/1/a.png'],
  ['', imageUrl],
])('a picture is shown at the owner’s host "%s"', (mj_image_host, shown) => {
  const policy = { ...neutralPolicy, mj_image_mode: 'custom' as const, mj_image_host };
  const view = { policy, isForwarded: true, server: 'https://gate.example.com', nowMs: 1 };
  expect(drawingView(task, view)).toMatchObject({ imageUrl: shown });
});
