/** No look of a process that runs comes later than this, however busy it is. */
const longestLateMs = 1_000;

/**
 * Looks about every `periodMs`. Behind a standstill of the whole process (a paused machine) timers come before what arrived
 * meanwhile: that is read first. `stoodMs`: how long the standstill lasted, 0 as a rule; it was nobody's silence.
 */
export function watchEvery(periodMs: number, look: (stoodMs: number) => void): NodeJS.Timeout {
  let seenMs = performance.now();
  return setInterval(() => {
    const nowMs = performance.now();
    const stoodMs = Math.max(0, nowMs - seenMs - periodMs - longestLateMs);
    seenMs = nowMs;
    if (stoodMs === 0) look(0);
    else setImmediate(look, stoodMs);
  }, periodMs);
}
