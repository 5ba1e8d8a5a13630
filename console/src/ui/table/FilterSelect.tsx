interface Props<Value extends string | number> {
  /** Names the control. */
  label: string;
  /** Stands for "no filter"; absent: the label does. */
  all?: string;
  /** An address may hold what is none of them. */
  value: string | number | undefined;
  options: readonly Value[];
  textOf(value: Value): string;
  onChange(value: Value | undefined): void;
  className?: string;
}

/** One of a few as a filter; none of them is no filter. */
export function FilterSelect<Value extends string | number>(props: Props<Value>) {
  const { label, all = label, value, options, textOf, onChange, className = 'w-40 max-sm:w-full' } = props;
  return (
    <select
      className={`control ${className}`}
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(options.find((option) => String(option) === event.currentTarget.value))}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {textOf(option)}
        </option>
      ))}
    </select>
  );
}
