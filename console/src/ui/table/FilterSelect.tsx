interface Props<Value extends string> {
  /** Names the control, and stands for "no filter". */
  label: string;
  value: string | undefined;
  options: readonly Value[];
  textOf(value: Value): string;
  onChange(value: Value | undefined): void;
}

/** One of a few as a filter; none of them is no filter. */
export function FilterSelect<Value extends string>({ label, value, options, textOf, onChange }: Props<Value>) {
  return (
    <select
      className="control w-40 max-sm:w-full"
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(options.find((option) => option === event.currentTarget.value))}
    >
      <option value="">{label}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {textOf(option)}
        </option>
      ))}
    </select>
  );
}
