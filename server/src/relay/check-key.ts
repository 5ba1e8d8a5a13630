import { priceName } from '../billing/index.ts';
import { isAllowedFrom, type KeyRecord } from '../identity/index.ts';
import { codelessFault } from './faults.ts';

/** From where a key may be used (contract 5.3). Throws RelayFault. */
export function checkAddress(key: KeyRecord, ip: string): void {
  if (!isAllowedFrom(key, ip)) throw codelessFault('ip_refused');
}

/** What a key may ask for, and from where (contract 5.3, 5.4). Throws RelayFault. */
export function checkKey(key: KeyRecord, ip: string, model: string): void {
  checkAddress(key, ip);
  const { modelLimits: limits } = key;
  if (limits === undefined) return;
  if (limits.size === 0) throw codelessFault('all_models_refused');
  if (!limits.has(model) && !limits.has(priceName(model))) throw codelessFault('model_refused', { model });
}
