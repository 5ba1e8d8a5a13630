import { useQuery, useQueryClient } from '@tanstack/react-query';
import { tagModelsQuery } from '../../api/channel-ops.ts';
import { groupNamesQuery, knownModelsQuery } from '../../api/channels.ts';
import {
  channel_mapping,
  channel_mapping_hint,
  channel_models,
  col_groups,
  models_clear,
  tag_fill_models,
  tag_name,
  tag_name_hint,
  tag_unchanged_placeholder,
} from '../../i18n/generated/messages.ts';
import { splitList } from '../../lib/lists.ts';
import { Field } from '../../ui/Field.tsx';
import { JsonField } from '../../ui/form/JsonField.tsx';
import { notifyError } from '../../ui/notify.ts';
import { MultiSelect } from '../../ui/overlay/MultiSelect.tsx';
import type { TagDraft } from './model.ts';

interface Props {
  tag: string;
  draft: TagDraft;
  change(next: Partial<TagDraft>): void;
  mappingError?: string;
}

const none: string[] = [];

function TagModels({ tag, draft, change }: Omit<Props, 'mappingError'>) {
  const client = useQueryClient();
  const { data: known = none } = useQuery(knownModelsQuery);
  const fill = () => client.fetchQuery(tagModelsQuery(tag)).then((models) => change({ models: splitList(models) }), notifyError);
  return (
    <div>
      <Field label={channel_models()}>
        {(control) => (
          <MultiSelect
            control={control}
            options={known}
            value={draft.models}
            onChange={(models) => change({ models })}
            placeholder={tag_unchanged_placeholder()}
          />
        )}
      </Field>
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        <button type="button" className="chip" onClick={() => void fill()}>
          {tag_fill_models()}
        </button>
        <button type="button" className="chip" disabled={draft.models.length === 0} onClick={() => change({ models: [] })}>
          {models_clear()}
        </button>
      </div>
    </div>
  );
}

/** Name, models, groups and mapping of all channels of a tag. */
export function TagFields({ tag, draft, change, mappingError }: Props) {
  const { data: groups = none } = useQuery(groupNamesQuery);
  return (
    <>
      <Field label={tag_name()} hint={tag_name_hint()}>
        {(control) => (
          <input
            {...control}
            data-autofocus
            className="control"
            autoComplete="off"
            maxLength={255}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <TagModels tag={tag} draft={draft} change={change} />
      <Field label={col_groups()}>
        {(control) => (
          <MultiSelect
            control={control}
            options={groups}
            value={draft.groups}
            onChange={(next) => change({ groups: next })}
            placeholder={tag_unchanged_placeholder()}
          />
        )}
      </Field>
      <JsonField
        label={channel_mapping()}
        hint={channel_mapping_hint()}
        placeholder={'{"model-a": "model-b"}'}
        value={draft.mapping}
        onChange={(mapping) => change({ mapping })}
        error={mappingError}
      />
    </>
  );
}
