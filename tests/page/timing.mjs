// Measures time on the processor, which does not grow when other programs keep the machine busy.

/** Returns the milliseconds that this process has computed. */
export function computedMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
