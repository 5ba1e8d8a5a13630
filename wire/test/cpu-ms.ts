/** CPU time that this thread has had, in ms: bounds of work are told in it, since others use the processor too. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
