import { toSeconds } from '../../platform/clock.ts';
import { databaseNowMs, type PresentNode, presentNodes } from '../../storage/presence.ts';
import type { World } from '../world.ts';

export interface NodeFacts {
  /** What lives, by its own word, workers of one machine included. */
  readonly nodes: readonly PresentNode[];
  readonly hasRedis: boolean;
  /** Undefined = nobody asked for one. */
  readonly redisAnswers: boolean | undefined;
}

export async function gatherNodes({ db, env, pingRedis }: World): Promise<NodeFacts> {
  return {
    nodes: await presentNodes(db, toSeconds(await databaseNowMs(db))),
    hasRedis: env.REDIS_URL !== undefined,
    redisAnswers: await pingRedis(),
  };
}
