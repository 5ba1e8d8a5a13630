const status = /^[1-5]\d\d$/;

/** The entries of a `status_code_mapping` that are statuses on both sides, as texts or numbers; others would never match, or make one of no number. */
export function onlyStatuses(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entries).filter(([from, to]) => status.test(from.trim()) && status.test(String(to).trim())),
  );
}
