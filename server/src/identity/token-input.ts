import { isDeepStrictEqual } from 'node:util';
import {
  fields,
  mostAmount,
  neutralPolicy,
  never,
  readTokenPolicy,
  type TokenInput,
  type TokenPolicy,
  tokenBounds,
} from '@tollgate/contract';
import { changesBetween } from '../audit/index.ts';
import { ipEntries, parseIpList } from '../platform/client-ip.ts';
import { PublicError } from '../platform/errors.ts';
import { splitList } from '../platform/split-list.ts';
import { mayUseGroup, type Options } from '../settings/index.ts';
import type { TokenRow } from './token-view.ts';

const maxNameCharacters = 30;

/** What is given must be sound; what is absent is not looked at. `before`: what is changed by it. Throws PublicError. */
export function checkInput(options: Options, owner: { group: string }, given: Partial<TokenInput>, before?: TokenRow): void {
  const { name = '', remain_quota = 0, expired_time = never, model_limits = '', group } = given;
  // One that stays may be longer: it was imported.
  if (name !== before?.name && [...name].length > maxNameCharacters) throw new PublicError('token_name_too_long');
  if (remain_quota > mostAmount) throw new PublicError('parameter_error');
  if (expired_time !== never && expired_time <= 0) throw new PublicError('parameter_error');
  const models = splitList(model_limits);
  const max = tokenBounds.models;
  if (isLonger(models, splitList(before?.model_limits ?? ''), max)) throw new PublicError('token_models_many', { max });
  if (models.some((model) => !fields.modelName.safeParse(model).success)) throw new PublicError('parameter_error');
  checkAddresses(given.allow_ips ?? '', before?.allow_ips ?? '');
  checkAddresses(given.deny_ips ?? '', readTokenPolicy(before?.policy ?? '').deny_ips);
  if (group !== undefined && !mayUseGroup(options, owner.group, group.trim())) throw new PublicError('token_group_unusable');
}

/** A list may stay as long as it is: imported ones are longer. */
function isLonger(entries: readonly string[], before: readonly string[], max: number): boolean {
  return entries.length > Math.max(max, before.length);
}

function checkAddresses(text: string, before: string): void {
  const max = tokenBounds.addressesOfList;
  if (isLonger(ipEntries(text), ipEntries(before), max)) throw new PublicError('token_ips_many', { max });
  const [entry] = parseIpList(text).invalid;
  if (entry !== undefined) throw new PublicError('token_ip_invalid', { entry: entry.slice(0, 64) });
}

type OwnInput = Omit<TokenInput, 'remain_quota' | 'unlimited_quota'>;

/** Columns of a token that its owner writes; quota belongs to the ledger. */
export function ownerColumns(input: OwnInput) {
  return {
    name: input.name,
    expired_at: input.expired_time,
    model_limits_enabled: input.model_limits_enabled ? 1 : 0,
    model_limits: splitList(input.model_limits).join(','),
    allow_ips: input.allow_ips ?? '',
    group_name: input.group.trim(),
    policy: policyText(input),
  };
}

/** A row as what its owner would send to have it so. */
export function inputOf(row: TokenRow): OwnInput {
  return {
    name: row.name,
    expired_time: row.expired_at,
    model_limits_enabled: row.model_limits_enabled === 1,
    model_limits: row.model_limits,
    allow_ips: row.allow_ips,
    group: row.group_name,
    ...readTokenPolicy(row.policy),
  };
}

/** Of a longer text the audit log only says that it changed: its owner may write it again all day. */
const maxAuditedText = 1_000;

/** What tells two states of a token apart, for the audit log. */
export function tokenChanges(before: TokenRow, after: TokenRow): Record<string, unknown> {
  const shown = (row: TokenRow) => ({
    ...inputOf(row),
    ...{ remain_quota: row.remain_quota, unlimited_quota: row.unlimited_quota === 1 },
  });
  const isLong = (value: unknown) => typeof value === 'string' && value.length > maxAuditedText;
  const changes = Object.entries(changesBetween(shown(before), shown(after)));
  return Object.fromEntries(changes.map(([name, of]) => [name, isLong(of.from) || isLong(of.to) ? 'changed' : of]));
}

/** "" for a token that has none, so that most rows stay short. */
function policyText(input: OwnInput): string {
  const policy = Object.fromEntries(Object.keys(neutralPolicy).map((key) => [key, input[key as keyof TokenPolicy]]));
  return isDeepStrictEqual(policy, { ...neutralPolicy }) ? '' : JSON.stringify(policy);
}
