/** An error as an upstream told it, without its dialect's wrapping. */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
}
