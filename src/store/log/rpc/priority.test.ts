import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { skipping } from '../../../../test/support/skipping.ts';

it.skipIf(skipping(process.platform === 'linux' ? undefined : 'threads have priorities on Linux only'))(
  'lowers the priority of the calling thread only',
  async () => {
    const priorityBefore = getPriority();
    const threads = new Set(readdirSync('/proc/self/task'));
    const text = `import { lowerPriority } from ${JSON.stringify(new URL('priority.ts', import.meta.url).href)};
    import { parentPort } from 'node:worker_threads';
    lowerPriority(3);
    parentPort.postMessage('done');
    parentPort.on('message', () => {});`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`));
    try {
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      const started = readdirSync('/proc/self/task').filter((id) => !threads.has(id));
      expect(started.map((id) => getPriority(Number(id)))).toContain(Math.min(19, priorityBefore + 3));
      expect(getPriority()).toBe(priorityBefore);
    } finally {
      await worker.terminate();
    }
  },
);
