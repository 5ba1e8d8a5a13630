import { expect, test } from 'vitest';
import { Inbox } from './realtime-inbox.ts';

function inbox() {
  const heard: string[] = [];
  const box = new Inbox(
    () => heard.push(box.isBusy ? 'busy' : 'free'),
    (error) => heard.push(`failed ${error}`),
  );
  /** Resolves when all that was added so far is done. */
  const done = () => new Promise<void>((resolve) => box.add(() => void resolve()));
  return { box, heard, done };
}

test('steps run in order; one that waits keeps the next ones waiting, and the source hears of it', async () => {
  const { box, heard, done } = inbox();
  const gate = Promise.withResolvers<void>();
  box.add(() => void heard.push('1'));
  box.add(() => gate.promise.then(() => void heard.push('2')));
  box.add(() => void heard.push('3'));
  expect(heard).toEqual(['1', 'busy']);
  gate.resolve();
  await done();
  expect(heard).toEqual(['1', 'busy', '2', '3', 'free']);
});

test('a step that fails is told of, and the next ones still come', async () => {
  const { box, heard, done } = inbox();
  box.add(() => Promise.reject('x'));
  box.add(() => void heard.push('next'));
  await done();
  expect(heard).toEqual(['busy', 'failed x', 'next', 'free']);
});

test('a step that another one adds comes behind it, and keeps the next ones waiting as any', async () => {
  const { box, heard, done } = inbox();
  const gate = Promise.withResolvers<void>();
  box.add(() => {
    box.add(() => gate.promise.then(() => void heard.push('inner')));
    heard.push('outer');
    return undefined;
  });
  box.add(() => void heard.push('last'));
  expect(heard).toEqual(['outer', 'busy']);
  gate.resolve();
  await done();
  expect(heard).toEqual(['outer', 'busy', 'inner', 'last', 'free']);
});
