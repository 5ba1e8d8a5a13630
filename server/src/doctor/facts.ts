import type { EngineFacts } from '../storage/inspect.ts';
import type { ChannelFacts } from './facts/channels.ts';
import type { ExposureFacts } from './facts/exposure.ts';
import type { HostFacts } from './facts/host.ts';
import type { MoneyFacts } from './facts/money.ts';
import type { NodeFacts } from './facts/nodes.ts';
import type { PeopleFacts } from './facts/people.ts';
import type { SettingFacts } from './facts/settings.ts';
import type { UpkeepFacts } from './facts/upkeep.ts';

/** Everything the checks look at. Each group is gathered alone, so that one that cannot be does not hide the others. */
export interface Facts {
  readonly host: HostFacts;
  readonly exposure: ExposureFacts;
  readonly engine: EngineFacts & StorageFacts;
  readonly money: MoneyFacts;
  readonly channels: ChannelFacts;
  readonly people: PeopleFacts;
  readonly settings: SettingFacts;
  readonly upkeep: UpkeepFacts;
  readonly nodes: NodeFacts;
}

/** What of the database is not the engine's. */
export interface StorageFacts {
  readonly ownNowMs: number;
  /** Not yet applied. */
  readonly pendingMigrations: readonly string[];
  /** A newer program wrote it. */
  readonly newerThanProgram: boolean;
}
