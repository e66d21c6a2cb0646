// Loaded into the gateway with `--import`. Responds to the benchmark's messages over the IPC channel of `child_process`. Plain
// JavaScript, so that the process does not load the type stripper.
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
const session = new Session();

const answers = {
  /** Starts measuring the event loop delay. */
  watch: () => {
    delay.reset();
    delay.enable();
  },
  /** Returns the longest delay since then, in milliseconds. */
  longest: () => {
    delay.disable();
    return delay.max / 1e6;
  },
  profile: async () => {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 250 });
    await session.post('Profiler.start');
  },
  /** Returns the profile since then, in the format of Chrome's tools. */
  profiled: async () => (await session.post('Profiler.stop')).profile,
};

process.on('message', async (question) => process.send((await answers[question]?.()) ?? null));
process.channel.unref();
