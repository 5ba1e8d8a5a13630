import { never, tokenStatus } from '@tollgate/contract';
import type { ImportedToken } from '../identity/index.ts';
import { parseIpList } from '../platform/client-ip.ts';
import type { Product } from './product.ts';
import type { Row } from './source.ts';
import { exactNumber, isBeyond32Bit, isDeleted, isSet, jsonObject, recordIn, seconds, text, whole, words } from './values.ts';

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
  /** It has settings that mean nothing here. */
  readonly hasMore?: boolean;
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
  const limits = limitsOf[product](row);
  const badIps = parseIpList(limits.allowIps).invalid.length > 0;
  const notes = [
    ...(remain < 0 && !unlimited ? ['negative'] : []),
    ...([unlimited ? 0 : remain, used].some(isBeyond32Bit) ? ['beyond_32_bit'] : []),
    ...(limits.isReadable ? [] : ['bad_json']),
    ...(badIps ? ['bad_ips'] : []),
    ...(limits.hasMore ? ['settings_left'] : []),
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

/** -1 alone is "never" in all of them: a token without a time, or with another one that is over, is refused there, too. */
function expiryOf(row: Row): number {
  const at = row.expired_time === undefined ? never : seconds(row, 'expired_time');
  return at === never ? never : Math.max(0, at);
}

const ipsIn = (list: string): string => words(list.replaceAll(' ', ',')).join('\n');

function olderLimits(row: Row): Limits {
  const models = words(text(row, 'models')).join(',');
  return { models: models === '' ? undefined : models, allowIps: ipsIn(text(row, 'subnet')), isReadable: true };
}

/** A site that was one-api before has its columns, too, which nothing there reads any more. */
function newerLimits(row: Row): Limits {
  const models = isSet(row, 'model_limits_enabled') ? words(text(row, 'model_limits')).join(',') : undefined;
  return { models, allowIps: ipsIn(text(row, 'allow_ips')), isReadable: true };
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
    hasMore: text(row, 'backup_group') !== '' || recordIn(setting?.heartbeat).enabled === true || Boolean(setting?.billing_tag),
  };
}

const limitsOf: Readonly<Record<Product, (row: Row) => Limits>> = {
  'one-api': olderLimits,
  laisky: olderLimits,
  'one-hub': nestedLimits,
  'new-api': newerLimits,
};

function listIn(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((entry) => typeof entry === 'string')
    : words(typeof value === 'string' ? value : '');
}
