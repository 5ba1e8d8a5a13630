import type { ReactNode } from 'react';
import { ApiError } from '../../api/errors.ts';
import { LoadError } from '../../ui/LoadError.tsx';

interface Props<Data> {
  query: { data: Data | undefined; error: Error | null; refetch(): unknown };
  /** What it means that there is none. */
  none: ReactNode;
  children(data: Data): ReactNode;
}

/** A part of a row's detail that is read when it is opened. */
export function ReadPart<Data>({ query: { data, error, refetch }, none, children }: Props<Data>) {
  if (error instanceof ApiError && error.status === 404) return <p className="text-muted">{none}</p>;
  if (error && data === undefined) return <LoadError error={error} retry={refetch} />;
  return data === undefined ? <span aria-busy className="skeleton w-48" /> : children(data);
}
