import type { Channel, ModelDiff, UnsavedChannel } from '@tollgate/contract';
import { channel_fetch_key, channel_fetch_key_new } from '../../i18n/generated/messages.ts';
import { parseRecord } from '../../lib/json.ts';
import { type ChannelDraft, keysOf, toInput } from './draft.ts';

const trimmed = (address: string): string => address.trim().replace(/\/+$/, '');

/**
 * Whose model list is asked for: what is typed counts, not what is stored. The stored key serves as long as it would go to
 * the stored address; otherwise a text says what is missing.
 */
export function fetchSource(draft: ChannelDraft, channel: Channel | undefined): { id: number } | UnsavedChannel | string {
  const [key] = keysOf(draft);
  const address = trimmed(draft.baseUrl);
  if (key !== undefined) {
    const { openai_organization, other, setting, header_override } = toInput(draft);
    return { type: draft.type, base_url: address, key, openai_organization, other, setting, header_override };
  }
  if (!channel) return channel_fetch_key_new();
  const stays = channel.type === draft.type && trimmed(channel.base_url ?? '') === address && channel.key_hint !== '';
  return stays ? { id: channel.id } : channel_fetch_key();
}

/** The channel's models against the upstream's list. A model counts by the name it is redirected to. */
export function diffOf(models: readonly string[], offered: readonly string[], mapping: string): ModelDiff {
  const redirects = parseRecord(mapping);
  const sent = (model: string): string => {
    const target = redirects[model];
    return typeof target === 'string' && target !== '' ? target : model;
  };
  const there = new Set(offered);
  const covered = new Set(models.map(sent));
  return {
    new: offered.filter((model) => !covered.has(model)),
    existing: models.filter((model) => there.has(sent(model))),
    gone: models.filter((model) => !there.has(sent(model))),
  };
}

/** What the channel has after a choice: its own models without those unchecked, then the new ones. */
export function chosenModels(models: readonly string[], diff: ModelDiff, checked: ReadonlySet<string>): string[] {
  return [...models.filter((model) => checked.has(model)), ...diff.new.filter((model) => checked.has(model))];
}
