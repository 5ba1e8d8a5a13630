/** Of each list the first ones; one more than is told shows that there are more. */
const mostNamed = 20;

interface Names {
  limit(count: number): { execute(): Promise<{ name: string | number }[]> };
}

/** The names that a query finds, a few of them. */
export async function named(query: Names): Promise<string[]> {
  const rows = await query.limit(mostNamed).execute();
  return rows.map(({ name }) => String(name));
}
