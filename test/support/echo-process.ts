import { serveCalls } from '../../src/store/log/rpc/serve.ts';

/** Started with `startProcess`: `hang` never responds, `die` exits the process, `echo` returns its argument with the process id. */
const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

serveCalls((data) => ({
  echo: (argument: unknown) => json({ argument, who: process.pid, data }),
  large: (size: number) => Buffer.alloc(size, 'x'),
  nothing: () => undefined,
  fail: (argument: unknown) => {
    throw Object.assign(new Error(`no ${String(argument)}`), { code: 'invalid_filter', param: 'q' });
  },
  hang: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  die: () => process.exit(3),
}));
