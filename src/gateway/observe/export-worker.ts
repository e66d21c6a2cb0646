import { parentPort } from 'node:worker_threads';
import { decodeLine } from '../../store/decode.ts';
import { Exporter } from '../../telemetry/otlp/exporter.ts';
import { createProxies } from '../../transport/outbound/egress/proxy.ts';
import { ProxiedAgent } from '../../transport/outbound/proxy/agent.ts';
import type { FromThread, ToThread } from '../../telemetry/otlp/messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file must run as a worker thread');
// Warnings of this thread would appear as log lines of the gateway.
process.removeAllListeners('warning');
const exporting = new Exporter({
  decode: decodeLine,
  post: (message: FromThread) => port.postMessage(message),
  agent: (proxy) => new ProxiedAgent(createProxies(proxy)),
});
port.on('message', (message) => void exporting.take(message as ToThread));
