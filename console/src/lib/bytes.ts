const steps: [string, number][] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
];

/** 1234567 -> "1.2 MB". */
export function formatBytes(bytes: number): string {
  const [unit, size] = steps.find(([, step]) => bytes >= step) ?? ['B', 1];
  return `${size === 1 ? bytes : (bytes / size).toFixed(1)} ${unit}`;
}
