import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';

/** A write. Afterwards what begins with one of these keys is read again, also after an error: where no answer came it may have been done. */
export function useWrite<Input, Output>(mutationFn: (input: Input) => Promise<Output>, ...keys: QueryKey[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** A write to the own account: all that is known of it is read again. By its word, for what reads it is on the pages in front of the door, too. */
export const useSelfChange = <Input, Output>(change: (input: Input) => Promise<Output>) => useWrite(change, ['self']);
