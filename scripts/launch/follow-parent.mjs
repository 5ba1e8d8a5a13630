// Preloaded into our children: when the launcher dies without a word (kill -9), they end in order instead of living on.
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.TOLLGATE_LAUNCHER === String(process.ppid) && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
