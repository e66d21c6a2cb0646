import { parentPort } from 'node:worker_threads';
import { decodeLine } from '../../store/decode.ts';
import { Exports } from '../../telemetry/otlp/exports.ts';
import type { FromThread, ToThread } from '../../telemetry/otlp/messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the beginning of a thread');
// Warnings of this thread would appear as log lines of the gateway.
process.removeAllListeners('warning');
const exporting = new Exports({ decode: decodeLine, tell: (message: FromThread) => port.postMessage(message) });
port.on('message', (message) => void exporting.take(message as ToThread));
