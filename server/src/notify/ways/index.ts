import type { NotifyWay } from '@tollgate/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Crypto } from '../../platform/crypto.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import { workerOf } from '../../platform/http/user-address.ts';
import type { Options } from '../../settings/index.ts';
import type { Deliver } from '../mail-transport.ts';
import { createDingtalkWay } from './dingtalk.ts';
import { createEmailWay } from './email.ts';
import type { Way } from './way.ts';
import { createWebhookWay } from './webhook.ts';
import { createWecomWay } from './wecom.ts';
import { createWxPusherWay } from './wxpusher.ts';

export interface WayParts {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly options: () => Options;
  /** For services that are known. */
  readonly http: SystemClient;
  /** For addresses that users name. */
  readonly outside: SystemClient;
  readonly deliver?: Deliver | undefined;
}

export type Ways = Readonly<Record<NotifyWay, Way>>;

export function createWays({ deliver, ...parts }: WayParts): Ways {
  return {
    email: createEmailWay({ options: parts.options, ...(deliver === undefined ? {} : { deliver }) }),
    webhook: createWebhookWay({ ...parts, worker: () => workerOf(parts.options()) }),
    wxpusher: createWxPusherWay(parts),
    wecom: createWecomWay(parts),
    dingtalk: createDingtalkWay(parts),
  };
}
