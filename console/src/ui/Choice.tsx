interface Props<T extends string> {
  label: string;
  value: T;
  choices: readonly { value: T; label: string }[];
  onChoose(value: T): void;
}

/** One of a few, side by side. */
export function Choice<T extends string>({ label, value, choices, onChoose }: Props<T>) {
  return (
    <fieldset className="inline-flex h-8 overflow-hidden rounded-md border border-line-strong max-sm:h-10">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          className="whitespace-nowrap border-l px-2.5 max-sm:px-2 first:border-l-0 -outline-offset-2 hover:bg-grey-tint aria-pressed:bg-accent-tint aria-pressed:font-medium aria-pressed:text-accent"
          onClick={() => onChoose(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
