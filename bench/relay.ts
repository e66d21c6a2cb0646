import { Agent } from 'node:http';
import { createProxyServer } from 'http-proxy-3';

/** The mark beside nginx: a plain http-proxy-3 relay that reads and logs no body. `node bench/relay.ts PORT UPSTREAM` */
const [port, target] = process.argv.slice(2);
if (port === undefined || target === undefined) throw new Error('usage: relay.ts PORT UPSTREAM');

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
createProxyServer({ target, agent }).listen(Number(port), '127.0.0.1');
