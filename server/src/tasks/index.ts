export { createTaskDesk, maxFound, type TaskDesk } from './desk.ts';
export { drawingData, imageAddress } from './drawing-data.ts';
export { isFinal } from './machine.ts';
export { type AskUpstream, createPoller, type PollAnswer, type Poller, type PollGroup } from './poller.ts';
export { createTaskLists, type TaskLists, type TaskScope } from './read.ts';
export { createTaskExpiry } from './store.ts';
export { longestMs, type Task, type TaskCharge, type TaskInput } from './types.ts';
