import v8 from 'node:v8';
import vm from 'node:vm';

/** Bytes that are really kept: what nobody needs any more is collected first. */
export function inUse(): number {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  // Buffers are freed beside a collection, at the latest with the next one.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
