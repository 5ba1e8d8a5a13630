interface Props<T extends string | number> {
  values: readonly T[];
  textOf?(value: T): string;
  disabled?: boolean;
  onChoose(value: T): void;
}

/** Below a field: usual values, one press away. */
export const Chips = <T extends string | number>({ values, textOf = String, disabled, onChoose }: Props<T>) => (
  <div className="mt-1.5 flex flex-wrap gap-1.5">
    {values.map((value) => (
      <button key={value} type="button" className="chip" disabled={disabled} onClick={() => onChoose(value)}>
        {textOf(value)}
      </button>
    ))}
  </div>
);
