/** Runs `step` again and again, never two at once: each answers after how many milliseconds the next one comes. It never rejects. */
export function startPaced(step: () => Promise<number>, firstMs: number): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const arm = (ms: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = step().then(arm);
    }, ms);
    timer.unref();
  };
  let running: Promise<void> = Promise.resolve();
  arm(firstMs);
  return {
    /** Resolves when the step under way has ended. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
