export { createTaskDesk, maxFound, type Owner, type TaskDesk } from './desk.ts';
export { type DrawingData, drawingData, imageAddress } from './drawing-data.ts';
export { isFinal } from './machine.ts';
export { type AskUpstream, createPoller, type PollAnswer, type Poller, type PollGroup } from './poller.ts';
export { createTaskLists, type TaskLists, type TaskScope } from './read.ts';
export { longestMs, type Task, type TaskCharge, type TaskInput, type TaskReport } from './types.ts';
