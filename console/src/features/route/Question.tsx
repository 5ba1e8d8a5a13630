import { useQuery } from '@tanstack/react-query';
import { enabledModelsQuery, groupNamesQuery } from '../../api/channels.ts';
import {
  col_group,
  col_model,
  route_explain,
  route_group_default,
  route_model_missing,
  route_number_invalid,
  route_size,
  route_token,
  route_user,
} from '../../i18n/generated/messages.ts';
import { intParam } from '../../lib/search.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import type { RouteSearch } from './search.ts';

const numbers = ['token', 'user', 'size'] as const;
const labels = { token: route_token, user: route_user, size: route_size };
const least = { token: 1, user: 1, size: 0 };
type Texts = Record<'group' | 'model' | (typeof numbers)[number], string>;

const numberOf = (name: (typeof numbers)[number], text: string) => intParam(text.trim(), least[name], Number.MAX_SAFE_INTEGER);

function faultsOf(texts: Texts): Partial<Texts> {
  const faults: Partial<Texts> = texts.model.trim() === '' ? { model: route_model_missing() } : {};
  for (const name of numbers)
    if (texts[name].trim() !== '' && numberOf(name, texts[name]) === undefined) faults[name] = route_number_invalid();
  return faults;
}

const textsOf = ({ group = '', model = '', token, user, size }: RouteSearch): Texts => ({
  group,
  model,
  token: String(token ?? ''),
  user: String(user ?? ''),
  size: String(size ?? ''),
});

/** Whose call for which model. */
export function Question({ search, ask, pending }: { search: RouteSearch; ask(next: RouteSearch): void; pending: boolean }) {
  const { data: groups = [] } = useQuery(groupNamesQuery);
  const { data: models = [] } = useQuery(enabledModelsQuery);
  const form = useSmallForm<keyof Texts>(textsOf(search), faultsOf);
  const submit = form.submit((texts) =>
    ask({
      group: texts.group.trim() || undefined,
      model: texts.model.trim(),
      token: numberOf('token', texts.token),
      user: numberOf('user', texts.user),
      size: numberOf('size', texts.size),
    }),
  );
  return (
    <form noValidate onSubmit={submit} className="card flex flex-wrap items-start gap-3 p-3">
      <Field label={col_model()} error={form.errors.model} required className="w-64 max-sm:w-full">
        {(control) => (
          <>
            <input
              {...control}
              {...form.field('model')}
              list="route-models"
              className="control"
              autoComplete="off"
              maxLength={255}
            />
            <datalist id="route-models">
              {models.map((model) => (
                <option key={model} value={model} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field label={col_group()} className="w-44 max-sm:w-full">
        {(control) => (
          <select {...control} {...form.field('group')} className="control">
            <option value="">{route_group_default()}</option>
            {[...new Set([...groups, 'auto'])].map((group) => (
              <option key={group} value={group}>
                {group}
              </option>
            ))}
          </select>
        )}
      </Field>
      {numbers.map((name) => (
        <Field key={name} label={labels[name]()} error={form.errors[name]} className="w-32 max-sm:grow">
          {(control) => (
            <input {...control} {...form.field(name)} className="control" inputMode="numeric" autoComplete="off" maxLength={15} />
          )}
        </Field>
      ))}
      <Button type="submit" tone="primary" pending={pending} className="mt-6 max-sm:mt-0 max-sm:w-full">
        {route_explain()}
      </Button>
    </form>
  );
}
