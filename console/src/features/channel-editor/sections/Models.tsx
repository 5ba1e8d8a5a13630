import { useQuery } from '@tanstack/react-query';
import type { Channel } from '@tollgate/contract';
import { useRef, useState } from 'react';
import { Controller } from 'react-hook-form';
import { knownModelsQuery, modelsByTypeQuery } from '../../../api/channels.ts';
import {
  channel_models,
  channel_test_model,
  channel_test_model_hint,
  models_add_custom,
  models_choose,
  models_clear,
  models_copy,
  models_count,
  models_custom,
  models_exist,
  models_fill_all,
  models_fill_related,
} from '../../../i18n/generated/messages.ts';
import { joinList } from '../../../lib/lists.ts';
import { afterPress } from '../../../lib/press.ts';
import { Button } from '../../../ui/Button.tsx';
import { copyText } from '../../../ui/copy.ts';
import { Field } from '../../../ui/Field.tsx';
import { Section } from '../../../ui/form/Section.tsx';
import { notify } from '../../../ui/notify.ts';
import { MultiSelect } from '../../../ui/overlay/MultiSelect.tsx';
import { addModels } from '../draft.ts';
import { FetchModels } from './FetchModels.tsx';
import type { ChannelForm } from './form.ts';

const none: string[] = [];

function useModelSources(type: number) {
  const { data: known = none } = useQuery(knownModelsQuery);
  const { data: byType } = useQuery(modelsByTypeQuery);
  return { known, related: byType?.[String(type)] ?? none };
}

function CustomModels({ models, onAdd }: { models: readonly string[]; onAdd(models: string[]): void }) {
  const [typed, setTyped] = useState('');
  const add = () => {
    if (typed.trim() === '') return;
    const result = addModels(models, typed);
    if (result.known) notify('warn', models_exist());
    if (result.models.length === models.length) return;
    onAdd(result.models);
    setTyped('');
  };
  const latest = useRef(add);
  latest.current = add;
  return (
    <Field label={models_custom()}>
      {(control) => (
        <div className="flex gap-2">
          <input
            {...control}
            className="control"
            autoComplete="off"
            spellCheck={false}
            placeholder="model-a, model-b"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            // Whoever saves right away means what they typed, too. The press may have chosen other models meanwhile.
            onBlur={() => afterPress(() => latest.current())}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
          <Button onClick={add}>{models_add_custom()}</Button>
        </div>
      )}
    </Field>
  );
}

/** Which models the channel serves. */
export function Models({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  const models = form.watch('models');
  const { known, related } = useModelSources(form.watch('type'));
  const set = (next: string[]) =>
    form.setValue('models', next, { shouldDirty: true, shouldValidate: form.formState.submitCount > 0 || next.length > 0 });
  const fill = (source: readonly string[]) => set([...new Set([...models, ...source])]);
  return (
    <Section title={channel_models()}>
      <div>
        <Field
          label={channel_models()}
          aside={<span className="text-muted text-xs">{models_count({ count: models.length })}</span>}
          error={form.formState.errors.models?.message}
          required
        >
          {(control) => (
            <Controller
              control={form.control}
              name="models"
              render={({ field }) => (
                <MultiSelect control={control} options={known} value={field.value} onChange={set} placeholder={models_choose()} />
              )}
            />
          )}
        </Field>
        <div className="mt-1.5 flex flex-wrap gap-1.5">
          <button type="button" className="chip" disabled={related.length === 0} onClick={() => fill(related)}>
            {models_fill_related({ count: related.length })}
          </button>
          <button type="button" className="chip" disabled={known.length === 0} onClick={() => fill(known)}>
            {models_fill_all()}
          </button>
          <FetchModels form={form} channel={channel} apply={set} />
          <button type="button" className="chip" disabled={models.length === 0} onClick={() => void copyText(joinList(models))}>
            {models_copy()}
          </button>
          <button type="button" className="chip" disabled={models.length === 0} onClick={() => set([])}>
            {models_clear()}
          </button>
        </div>
      </div>
      <CustomModels models={models} onAdd={set} />
      <Field label={channel_test_model()} hint={channel_test_model_hint()}>
        {(control) => (
          <input
            {...control}
            {...form.register('testModel')}
            className="control"
            autoComplete="off"
            maxLength={255}
            placeholder={models[0]}
          />
        )}
      </Field>
    </Section>
  );
}
