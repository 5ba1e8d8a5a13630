import { never, tokenStatus } from '@tollgate/contract';
import type { ImportedToken } from '../identity/index.ts';
import { parseIpList } from '../platform/client-ip.ts';
import type { Product } from './product.ts';
import type { Row } from './source.ts';
import { exactNumber, isDeleted, isSet, jsonObject, seconds, text, whole, words } from './values.ts';

export interface MappedToken {
  readonly key: string;
  /** The source's id of its user. */
  readonly owner: string;
  readonly token: Omit<ImportedToken, 'userId'>;
  readonly notes: readonly string[];
}

interface Limits {
  readonly models: string | undefined;
  readonly allowIps: string;
  readonly isReadable: boolean;
}

/** A token as it will be here, or why it stays away. What limits it and cannot be read switches it off. */
export function mapToken(
  product: Product,
  row: Row,
): MappedToken | { readonly key: string; readonly skip: 'deleted' | 'overflow' } {
  const key = text(row, 'id');
  if (isDeleted(row)) return { key, skip: 'deleted' };
  const [remain, used] = [exactNumber(row.remain_quota ?? 0), exactNumber(row.used_quota ?? 0)];
  if (remain === undefined || used === undefined || !Number.isSafeInteger(Math.abs(remain) + Math.abs(used)))
    return { key, skip: 'overflow' };
  const unlimited = isSet(row, 'unlimited_quota');
  const limits = product === 'one-hub' ? nestedLimits(row) : columnLimits(row);
  const badIps = parseIpList(limits.allowIps).invalid.length > 0;
  const notes = [
    ...(remain < 0 && !unlimited ? ['negative'] : []),
    ...(limits.isReadable ? [] : ['bad_json']),
    ...(badIps ? ['bad_ips'] : []),
  ];
  const token = {
    key: text(row, 'key').replace(/^sk-/, ''),
    name: text(row, 'name'),
    status: limits.isReadable && !badIps ? statusOf(whole(row, 'status')) : tokenStatus.disabled,
    createdAt: seconds(row, 'created_time'),
    accessedAt: seconds(row, 'accessed_time'),
    expiredAt: expiryOf(row),
    remain: Math.max(0, remain),
    used: Math.max(0, used),
    unlimited,
    models: limits.models,
    allowIps: limits.allowIps,
    group: text(row, 'group'),
  };
  return { key, owner: text(row, 'user_id'), token, notes };
}

function statusOf(status: number): number {
  const known: readonly number[] = Object.values(tokenStatus);
  return known.includes(status) ? status : tokenStatus.disabled;
}

/** 0 and less were written for "never", too. */
function expiryOf(row: Row): number {
  const at = seconds(row, 'expired_time');
  return at <= 0 ? never : at;
}

/** `models` and `subnet`, or `model_limits` and `allow_ips`. */
function columnLimits(row: Row): Limits {
  const named = text(row, 'models');
  const limited = isSet(row, 'model_limits_enabled') ? text(row, 'model_limits') : named;
  const isLimited = isSet(row, 'model_limits_enabled') || named !== '';
  const allowIps = words((text(row, 'allow_ips') || text(row, 'subnet')).replaceAll(' ', ',')).join('\n');
  return { models: isLimited ? words(limited).join(',') : undefined, allowIps, isReadable: true };
}

/** Inside of `setting`. */
function nestedLimits(row: Row): Limits {
  const setting = jsonObject(text(row, 'setting'));
  const limits = recordIn(setting?.limits);
  const models = recordIn(limits.limit_model_setting);
  const ips = recordIn(limits.limits_ip_setting);
  return {
    models: models.enabled === true ? listIn(models.models).join(',') : undefined,
    allowIps: ips.enabled === true ? listIn(ips.whitelist).join('\n') : '',
    isReadable: setting !== undefined,
  };
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function listIn(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((entry) => typeof entry === 'string')
    : words(typeof value === 'string' ? value : '');
}
