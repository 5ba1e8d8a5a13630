import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { ownGroupsQuery } from '../../api/self.ts';
import {
  group_own,
  play_group,
  play_max_tokens,
  play_max_tokens_hint,
  play_model,
  play_model_add,
  play_model_number,
  play_model_remove,
  play_system,
  play_temperature,
  play_temperature_unset,
  play_tools,
  play_tools_hint,
} from '../../i18n/generated/messages.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { SearchSelect } from '../../ui/overlay/SearchSelect.tsx';
import { chatModelsQuery, mostModels, type Setup, toolsFault } from './model.ts';

interface Props {
  setup: Setup;
  onChange(change: Partial<Setup>): void;
}

function Models({ setup, onChange }: Props) {
  const { data: models = [] } = useQuery(chatModelsQuery);
  const options = models.map((label, value) => ({ label, value }));
  const pick = (index: number, value: number) =>
    onChange({ models: setup.models.map((model, at) => (at === index ? (models[value] ?? model) : model)) });
  const next = models.find((model) => !setup.models.includes(model));
  return (
    <>
      {setup.models.map((model, index) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: the places are what is named
          key={index}
          label={setup.models.length === 1 ? play_model() : play_model_number({ number: index + 1 })}
          aside={
            setup.models.length > 1 && (
              <IconButton
                icon={X}
                size="sm"
                label={play_model_remove({ model })}
                onClick={() => onChange({ models: setup.models.filter((_, at) => at !== index) })}
              />
            )
          }
        >
          {(control) => (
            <SearchSelect
              control={control}
              options={options}
              value={models.indexOf(model)}
              onChange={(value) => pick(index, value)}
            />
          )}
        </Field>
      ))}
      {setup.models.length < mostModels && next !== undefined && (
        <Button icon={Plus} size="sm" className="self-start" onClick={() => onChange({ models: [...setup.models, next] })}>
          {play_model_add()}
        </Button>
      )}
    </>
  );
}

/** What every question is asked with. */
export function SetupPanel({ setup, onChange }: Props) {
  const { data: groups = {} } = useQuery(ownGroupsQuery);
  const { temperature } = setup;
  return (
    <div className="flex flex-col gap-4">
      <Field label={play_group()}>
        {(control) => (
          <select
            {...control}
            className="control"
            value={setup.group}
            onChange={(event) => onChange({ group: event.currentTarget.value })}
          >
            <option value="">{group_own()}</option>
            {/* Kept from when it was still the account's: it is what calls name. */}
            {setup.group && !(setup.group in groups) && <option>{setup.group}</option>}
            {Object.entries(groups).map(([name, { desc, ratio }]) => (
              <option key={name} value={name}>
                {`${desc || name} (${ratio})`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Models setup={setup} onChange={onChange} />
      <Field label={play_temperature()} aside={<output>{temperature ?? play_temperature_unset()}</output>}>
        {(control) => (
          <input
            {...control}
            type="range"
            min={0.1}
            max={1}
            step={0.1}
            className="h-6 w-full accent-(--accent)"
            value={temperature ?? 0.1}
            onChange={(event) => onChange({ temperature: event.currentTarget.valueAsNumber })}
          />
        )}
      </Field>
      <Field label={play_max_tokens()} hint={play_max_tokens_hint()}>
        {(control) => (
          <input
            {...control}
            type="number"
            min={0}
            max={1_000_000}
            step={1}
            className="control"
            value={setup.maxTokens}
            onChange={(event) => onChange({ maxTokens: Math.max(0, Math.trunc(event.currentTarget.valueAsNumber || 0)) })}
          />
        )}
      </Field>
      <Field label={play_system()}>
        {(control) => (
          <textarea
            {...control}
            className="control min-h-24 resize-y py-2"
            value={setup.system}
            onChange={(event) => onChange({ system: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={play_tools()} hint={play_tools_hint()} error={toolsFault(setup.tools) || undefined}>
        {(control) => (
          <textarea
            {...control}
            className="control min-h-24 resize-y py-2 font-mono text-xs"
            spellCheck={false}
            value={setup.tools}
            onChange={(event) => onChange({ tools: event.currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
}
