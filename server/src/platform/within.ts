/**
 * What `work` comes to, or, when it takes longer than `limitMs`, what `late` returns or throws. The work itself goes on;
 * nobody hears of its end any more, not even of a failure.
 */
export function within<T, L = T>(work: Promise<T>, limitMs: number, late: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, limitMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
