import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that outgoing connections come from: one of those may have taken a port before it is used, or used again. */
const [lowest, beyond] = [10_000, 32_768];
const mostTries = 100;

/** A port of the loopback interface that nobody uses right now, and that nobody is given unasked. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(lowest, beyond);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      await new Promise((resolve) => server.close(resolve));
      return port;
    } catch (error) {
      if (tries === mostTries) throw error;
    }
  }
}
