import type { World } from '../world.ts';

/** What the environment says, and what strangers can reach because of it. */
export interface ExposureFacts {
  readonly env: World['env'];
  readonly serverAddress: string;
}

export async function gatherExposure({ env, settings }: World): Promise<ExposureFacts> {
  return { env, serverAddress: (await settings()).options.ServerAddress };
}
