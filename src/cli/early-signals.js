// Plain JavaScript: the installed command calls it before it loads anything else.

/**
 * Until `gateway start` follows signals itself: a stop ends the process with 0, since nothing was opened yet, and no
 * other signal ends it. SIGUSR1 would open Node's debugger to every user of the machine.
 */
export function followEarly() {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
  for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2']) process.on(signal, () => {});
}
