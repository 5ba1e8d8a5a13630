/** Does this with each, so many at a time. */
export async function sideBySide<T>(items: readonly T[], count: number, act: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const takeNext = async () => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: count }, takeNext));
}
