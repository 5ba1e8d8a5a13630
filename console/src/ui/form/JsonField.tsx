import { action_format, json_fault } from '../../i18n/generated/messages.ts';
import { formatJson } from '../../lib/json.ts';
import { findJsonFault } from '../../lib/json-fault.ts';
import { TextButton } from '../Button.tsx';
import { Field } from '../Field.tsx';
import { JsonInput } from './JsonInput.tsx';

interface Props {
  label: string;
  hint?: string;
  placeholder?: string;
  value: string;
  onChange(value: string): void;
  onBlur?(): void;
  error?: string;
}

/** The fault of a JSON text as a sentence; undefined for JSON and for an empty text. */
export function jsonFaultText(text: string): string | undefined {
  const fault = text.trim() === '' ? undefined : findJsonFault(text);
  return fault && json_fault({ line: fault.line, column: fault.column });
}

/** A JSON text: says line and column of a fault, and puts itself in order on request. */
export function JsonField({ label, hint, placeholder, value, onChange, onBlur, error }: Props) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={value.trim() !== '' && <TextButton onClick={() => onChange(formatJson(value))}>{action_format()}</TextButton>}
    >
      {(control) => (
        <JsonInput control={control} label={label} placeholder={placeholder} value={value} onChange={onChange} onBlur={onBlur} />
      )}
    </Field>
  );
}
