const steps: [string, number][] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
];

/** 1234567 -> "1.2 MB". */
export function formatBytes(bytes: number): string {
  // What would be rounded to a thousand of one unit is one of the next; bytes are whole.
  const [unit, size] = steps.find(([, step]) => bytes >= step * (step > 1e3 ? 0.99995 : 1)) ?? ['B', 1];
  return `${size === 1 ? bytes : (bytes / size).toFixed(1)} ${unit}`;
}
