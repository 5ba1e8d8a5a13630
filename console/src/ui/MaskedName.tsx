/** A name of which the server tells the ends, and the number that tells it from others with the same ones. */
export const MaskedName = ({ name, id }: { name: string; id: number }) => (
  <>
    <span>{name}</span> <span className="text-muted text-xs tabular-nums">#{id}</span>
  </>
);
