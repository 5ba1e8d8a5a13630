import type { QueryClient } from '@tanstack/react-query';

/** The rows of the lists and searches at hand whose keys begin with `all`. */
export function rowsAt<Row extends { id: number }>(client: QueryClient, all: readonly string[]) {
  const keys = ['list', 'search'].map((kind) => [...all, kind]);
  return {
    /** A row as it is shown; undefined where no list has it. */
    find(id: number): Row | undefined {
      const lists = (['active', 'all'] as const).flatMap((type) =>
        keys.flatMap((queryKey) => client.getQueriesData<Row[]>({ queryKey, type })),
      );
      return lists.flatMap(([, rows]) => rows ?? []).find((row) => row.id === id);
    },
    /** Changes a row without asking again, so that it keeps its place until the next refresh. */
    patch(id: number, change: Partial<Row>): void {
      for (const queryKey of keys) {
        client.setQueriesData<Row[]>({ queryKey }, (rows) => rows?.map((row) => (row.id === id ? { ...row, ...change } : row)));
      }
    },
  };
}
