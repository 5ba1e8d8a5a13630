import type { StreamWay } from '../../platform/http/stream-check.ts';
import type { World } from '../world.ts';

/** What the environment says, and what strangers can reach because of it. */
export interface ExposureFacts {
  readonly env: World['env'];
  readonly serverAddress: string;
  /** How a stream comes by the way that callers take; undefined = no address is set. */
  readonly streams: StreamWay | undefined;
}

export async function gatherExposure({ env, settings, askStream }: World): Promise<ExposureFacts> {
  const { ServerAddress: serverAddress } = (await settings()).options;
  return { env, serverAddress, streams: serverAddress === '' ? undefined : await askStream(serverAddress) };
}
