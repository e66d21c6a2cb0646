// Plain JavaScript: the installed command calls it before it loads anything else.

/**
 * Handles signals until `gateway start` does so itself. A stop signal exits with 0, since nothing is open yet; other
 * signals do not end the process. SIGUSR1 would open Node's debugger to every user of the machine.
 */
export function followEarly() {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
  for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2']) process.on(signal, () => {});
}
