import { onTestFinished } from 'vitest';

type Running = { stop(): Promise<unknown> } | { close(): Promise<unknown> };

/** What the test started: it ends with it, what was started last before the others. */
export async function ofTest<T extends Running>(starting: Promise<T>): Promise<T> {
  const running = await starting;
  onTestFinished(async () => void (await ('stop' in running ? running.stop() : running.close())));
  return running;
}
