const rows = ['w-1/4', 'w-1/3', 'w-1/5', 'w-2/5', 'w-1/4'];

/** A form that is being read. */
export function FormSkeleton() {
  return (
    <div aria-busy className="flex flex-col gap-5">
      {rows.map((width, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
        <div key={index}>
          <span className={`skeleton ${width}`} />
          <div className="mt-1.5 h-8 rounded-md border" />
        </div>
      ))}
    </div>
  );
}
