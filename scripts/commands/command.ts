/** What the launcher hands to a command; each returns the exit code. */
export interface CommandContext {
  /** Absolute path of the repository. */
  readonly root: string;
  /** What stood after the command's name. */
  readonly args: readonly string[];
}
