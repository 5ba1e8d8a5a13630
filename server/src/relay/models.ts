import { autoGroup } from '@tollgate/contract';
import type { KeyRecord } from '../identity/index.ts';
import { ownerOf } from '../providers/index.ts';
import type { Snapshot } from '../routing/index.ts';
import { autoGroupsOf } from '../settings/index.ts';
import type { Caller } from './caller.ts';
import { localFault } from './faults.ts';

const created = 1_626_777_600;

/** GET /v1/models and /v1/models/:model (contract 5.6): what this key may call. */
export function answerModels(snapshot: Snapshot, key: KeyRecord, caller: Caller, wanted: string | undefined): void {
  const names = usableModels(snapshot, key);
  if (wanted === undefined) {
    caller.answer(200, JSON.stringify({ success: true, object: 'list', data: names.map(modelEntry) }));
    return;
  }
  if (!names.includes(wanted)) throw localFault('model_not_found', { model: wanted });
  caller.answer(200, JSON.stringify(modelEntry(wanted)));
}

function usableModels(snapshot: Snapshot, key: KeyRecord): readonly string[] {
  if (key.modelLimits !== undefined) return [...key.modelLimits];
  const groups = key.group === autoGroup ? autoGroupsOf(snapshot.options, key.user.group) : [key.group || key.user.group];
  return [...new Set(groups.flatMap((group) => snapshot.models(group)))].sort();
}

/** One model as OpenAI's list shows it. */
function modelEntry(id: string) {
  const permission = {
    id: `modelperm-${id}`,
    object: 'model_permission',
    created,
    allow_create_engine: true,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: '*',
    group: null,
    is_blocking: false,
  };
  return { id, object: 'model', created, owned_by: ownerOf(id), permission: [permission], root: id, parent: null };
}
