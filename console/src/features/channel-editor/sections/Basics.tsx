import { useQuery } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { groupNamesQuery } from '../../../api/channels.ts';
import { col_groups, col_name, col_type, groups_choose, section_basics } from '../../../i18n/generated/messages.ts';
import { Field } from '../../../ui/Field.tsx';
import { Section } from '../../../ui/form/Section.tsx';
import { MultiSelect } from '../../../ui/overlay/MultiSelect.tsx';
import { SearchSelect } from '../../../ui/overlay/SearchSelect.tsx';
import { typeOptions } from '../types/index.ts';
import type { ChannelForm } from './form.ts';

export function Basics({ form }: { form: ChannelForm }) {
  const { errors } = form.formState;
  const { data: groups = [] } = useQuery(groupNamesQuery);
  return (
    <Section title={section_basics()}>
      <Field label={col_type()} required>
        {(control) => (
          <Controller
            control={form.control}
            name="type"
            render={({ field }) => (
              <SearchSelect control={control} options={typeOptions(field.value)} value={field.value} onChange={field.onChange} />
            )}
          />
        )}
      </Field>
      <Field label={col_name()} error={errors.name?.message} required>
        {(control) => (
          <input {...control} {...form.register('name')} data-autofocus className="control" autoComplete="off" maxLength={255} />
        )}
      </Field>
      <Field label={col_groups()} error={errors.groups?.message} required>
        {(control) => (
          <Controller
            control={form.control}
            name="groups"
            render={({ field }) => (
              <MultiSelect
                control={control}
                options={groups}
                value={field.value}
                onChange={field.onChange}
                placeholder={groups_choose()}
              />
            )}
          />
        )}
      </Field>
    </Section>
  );
}
