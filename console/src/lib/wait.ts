/** "30 sec", "12 min", "3 hr", rounded up: nobody shall come too early. */
export function formatWait(seconds: number, tag: string): string {
  const [unit, size] =
    seconds < 100 ? (['second', 1] as const) : seconds < 6000 ? (['minute', 60] as const) : (['hour', 3600] as const);
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'short' }).format(Math.ceil(seconds / size));
}
