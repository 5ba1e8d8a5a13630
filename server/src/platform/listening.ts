import { once } from 'node:events';
import type { ListenOptions, Server } from 'node:net';

const advices: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program listens there: stop it, or choose another port',
  EADDRNOTAVAIL: 'This machine has no such address: correct HOST',
  ENOTFOUND: 'This machine has no such address: correct HOST',
  EMFILE: 'This process may open too few files: raise its limit (ulimit -n, LimitNOFILE of systemd)',
  EACCES: 'The user of this process may not listen there: choose a port from 1024 on, behind a proxy',
};

/** Resolves once the server listens. `name`: of the variable with the port. Rejects with what the operator can do about it. */
export async function listening(server: Server, place: ListenOptions, name: string): Promise<void> {
  server.listen(place);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const advice = advices[error.code ?? ''] ?? `Look at HOST and ${name}`;
    throw new Error(`${name}=${place.port}: ${error.message}. ${advice}`, { cause: error });
  });
}
