import { useMutation, useQueryClient } from '@tanstack/react-query';

/** Settings are felt everywhere: afterwards every page that is open asks anew. */
export function useSettingsChange<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => client.invalidateQueries() });
}
