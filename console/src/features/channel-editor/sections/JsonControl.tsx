import { Controller } from 'react-hook-form';
import { JsonField } from '../../../ui/form/JsonField.tsx';
import type { ChannelForm } from './form.ts';

interface Props {
  form: ChannelForm;
  name: 'modelMapping' | 'statusCodeMapping' | 'setting' | 'paramOverride' | 'headerOverride';
  label: string;
  hint: string;
  placeholder: string;
}

/** One JSON text of the form. */
export function JsonControl({ form, name, ...texts }: Props) {
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field, fieldState }) => (
        <JsonField
          {...texts}
          value={field.value}
          onChange={field.onChange}
          onBlur={field.onBlur}
          error={fieldState.error?.message}
        />
      )}
    />
  );
}
