import { type CopyQuery, channelStatus, nameOfCopy } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { neededKey } from './channel-key.ts';
import { readStored } from './channel-view.ts';
import { insertChannel, keepSwitchedOff } from './channel-writes.ts';
import type { ChannelDeps } from './channels.ts';

/**
 * A second channel like the first, with its credential; figures start anew, the balance too unless told otherwise
 * (contract 4.12). What was switched off by itself starts enabled, what a person switched off does not. Answers the new id.
 */
export function createChannelCopy(deps: ChannelDeps): (id: number, query: CopyQuery, actor: Actor) => Promise<number> {
  return async (id, { suffix, reset_balance: resetBalance }, actor) => {
    const now = nowSeconds(deps.clock);
    const copied = await deps.db.transaction(async (tx) => {
      const source = await readStored(tx.query, id);
      const key = neededKey(deps.crypto, source);
      const { balance, balance_updated_at, ...rest } = source;
      const status = rest.status === channelStatus.disabled ? channelStatus.disabled : channelStatus.enabled;
      const name = nameOfCopy(rest.name, suffix);
      const newId = await insertChannel(deps, tx, { ...columnsOf(rest), name }, { key, status, now });
      if (!resetBalance) {
        const kept = { balance, balance_updated_at };
        await tx.query.updateTable('channel').set(kept).where('id', '=', newId).execute();
      }
      await keepSwitchedOff(tx, id, newId);
      const detail = { name, copy_of: id };
      await tx.perform(recordAudit({ actor, action: 'channel.create', target: `channel:${newId}`, detail, now }));
      return newId;
    });
    deps.changes.notify();
    return copied;
  };
}

type Source = Parameters<typeof insertChannel>[2];

/** What an administrator wrote, without figures and credential. */
function columnsOf(source: Source): Source {
  return {
    type: source.type,
    openai_organization: source.openai_organization,
    test_model: source.test_model,
    name: source.name,
    weight: source.weight,
    priority: source.priority,
    base_url: source.base_url,
    other: source.other,
    models: source.models,
    group_names: source.group_names,
    model_mapping: source.model_mapping,
    status_code_mapping: source.status_code_mapping,
    auto_ban: source.auto_ban,
    tag: source.tag,
    setting: source.setting,
    param_override: source.param_override,
    header_override: source.header_override,
  };
}
