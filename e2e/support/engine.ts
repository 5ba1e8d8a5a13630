import type { EngineKit } from '../../server/test/engines.ts';
import { type Gateway, startGateway } from './gateway.ts';

export { onEachEngine, onPostgres } from '../../server/test/engines.ts';

const secretKey = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';

/** A gateway process on a fresh database of the engine at hand. */
export async function gatewayOn(kit: EngineKit, env: Record<string, string> = {}): Promise<Gateway> {
  const place = await kit.place();
  if (place.url === undefined) return startGateway({ DATA_DIR: place.dataDir, ...env });
  return startGateway({ DATABASE_URL: place.url, SECRET_KEY: secretKey, ...env });
}
