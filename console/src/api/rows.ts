import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';

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

/** A change of fields of a row, shown at once and taken back when refused. */
export function useRowChange<Row extends { id: number }, Change extends Partial<Row>>(
  all: readonly [string],
  send: (change: Change & { id: number }) => Promise<unknown>,
) {
  const rows = rowsAt<Row>(useQueryClient(), all);
  return useMutation({
    // One after the other: two on their way at once may arrive in any order.
    scope: { id: all[0] },
    mutationFn: ({ id, change }: { id: number; change: Change }) => send({ ...change, id }),
    onMutate({ id, change }): Partial<Row> | undefined {
      // Not what the caller holds, which may be older than the last change: that of an undo is.
      const row = rows.find(id);
      rows.patch(id, change);
      return row && (Object.fromEntries(Object.keys(change).map((name) => [name, row[name as keyof Row]])) as Partial<Row>);
    },
    // The list may have been read again meanwhile, as it was before.
    onSuccess: (_answer, { id, change }) => rows.patch(id, change),
    onError: (_error, { id }, before) => before && rows.patch(id, before),
  });
}
