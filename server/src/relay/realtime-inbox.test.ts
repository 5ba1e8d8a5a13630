import { expect, test } from 'vitest';
import { Inbox } from './realtime-inbox.ts';

function inbox() {
  const heard: string[] = [];
  const box = new Inbox(
    () => heard.push(box.isBusy ? 'busy' : 'free'),
    (error) => heard.push(`failed ${error}`),
  );
  return { box, heard };
}

test('steps run in order; one that waits keeps the next ones waiting, and the source hears of it', async () => {
  const { box, heard } = inbox();
  const gate = Promise.withResolvers<void>();
  box.add(() => void heard.push('1'));
  box.add(() => gate.promise.then(() => void heard.push('2')));
  box.add(() => void heard.push('3'));
  expect(heard).toEqual(['1', 'busy']);
  gate.resolve();
  await box.idle();
  expect(heard).toEqual(['1', 'busy', '2', '3', 'free']);
});

test('a step that fails is told of, and the next ones still come', async () => {
  const { box, heard } = inbox();
  box.add(() => Promise.reject('x'));
  box.add(() => void heard.push('next'));
  await box.idle();
  expect(heard).toEqual(['busy', 'failed x', 'next', 'free']);
});

test('who waits for the end waits for steps that were added meanwhile', async () => {
  const { box, heard } = inbox();
  const gate = Promise.withResolvers<void>();
  box.add(() => gate.promise);
  const idle = box.idle().then(() => heard.push('idle'));
  box.add(() => Promise.resolve().then(() => void heard.push('late')));
  gate.resolve();
  await idle;
  expect(heard.indexOf('idle')).toBeGreaterThan(heard.indexOf('late'));
});
