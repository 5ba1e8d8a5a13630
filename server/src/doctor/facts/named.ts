/** A few are told by name, the others as a number. */
const mostNamed = 1_000;

interface Names {
  limit(count: number): { execute(): Promise<{ name: string | number }[]> };
}

/** The names that a query finds. */
export async function named(query: Names): Promise<string[]> {
  const rows = await query.limit(mostNamed).execute();
  return rows.map(({ name }) => String(name));
}
