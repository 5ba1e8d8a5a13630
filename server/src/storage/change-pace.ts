/** Never runs `work` twice at a time: who calls meanwhile gets a run that begins after the call. `work` must not reject. */
export function singleFlight(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  return function run(): Promise<void> {
    if (running === undefined) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    again ??= running.then(() => {
      again = undefined;
      return run();
    });
    return again;
  };
}

/** Does the first call at once and what comes within `ms` after it together, at the end of that time. */
export function atMostEvery(ms: number, work: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let pending = false;
  let stopped = false;
  const call = () => {
    if (stopped) return;
    if (timer !== undefined) {
      pending = true;
      return;
    }
    timer = setTimeout(() => {
      timer = undefined;
      if (!pending) return;
      pending = false;
      call();
    }, ms);
    timer.unref();
    work();
  };
  return {
    call,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
