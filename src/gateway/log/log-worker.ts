import { parentPort, workerData } from 'node:worker_threads';
import { createSequence, serveThreadCalls } from '../../store/log/rpc/protocol.ts';
import { lowerPriority } from '../../store/log/rpc/priority.ts';
import { createReader } from '../../store/log/worker/reader.ts';
import type { ThreadData } from '../../store/log/worker/settings.ts';
import { startWriter } from '../../store/log/worker/writer.ts';

const data = workerData as ThreadData;
const port = parentPort;
if (port === null) throw new Error('this file must run as a worker thread');
// Warnings of this thread would appear as log lines of the gateway.
process.removeAllListeners('warning');
// Queries may wait for traffic. Storing records may wait too, but less, because the size of the spool is limited.
lowerPriority(data.role === 'writer' ? 5 : 10);
if (data.role === 'writer') startWriter(port, data);
else
  serveThreadCalls(
    port,
    createReader(
      data.database,
      () => performance.now(),
      (problems) => port.postMessage({ problems }),
    ),
    createSequence(),
  );
