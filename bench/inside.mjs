// Loaded into the gateway with `--import`: answers the benchmark's questions about the event loop over the channel of
// `child_process`. Plain JavaScript, so that the process does not load what strips types.
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
const session = new Session();

const answers = {
  /** Begins to watch the loop. */
  watch: () => {
    delay.reset();
    delay.enable();
  },
  /** The longest pause of the loop since then, in milliseconds. */
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
  /** The profile since then, as Chrome's tools read it. */
  profiled: async () => (await session.post('Profiler.stop')).profile,
};

process.on('message', async (question) => process.send((await answers[question]?.()) ?? null));
process.channel.unref();
