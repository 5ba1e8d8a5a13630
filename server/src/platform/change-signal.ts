/** Tells the poller of the `change` table to look now instead of at its next tick; called after a commit. */
export interface ChangeSignal {
  notify(): void;
}
