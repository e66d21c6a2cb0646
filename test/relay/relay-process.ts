/** A relay alone in a process, so that its memory can be measured: `node relay-process.ts <origin>`, asked over IPC. */
import { createServer } from 'node:http';
import { headerNames, RequestHeaderBag } from '../../src/transport/inbound/header-bag.ts';
import { createEgress } from '../../src/transport/outbound/egress.ts';
import { createRelay } from '../../src/transport/outbound/relay/index.ts';
import { createSweeper } from '../../src/transport/outbound/exchange/sweeper.ts';
import { listen, portOf } from './rig.ts';

const [origin = ''] = process.argv.slice(2);
const noList: readonly string[] = [];
const relay = createRelay({
  egress: createEgress(() => noList),
  sweeper: createSweeper(
    () => performance.now(),
    (error) => {
      throw error;
    },
  ),
  monotonic: () => performance.now(),
});
const names = headerNames(['x-gateway-']);

const front = createServer((req, res) => {
  const pass = relay.http(req, res, new RequestHeaderBag(req, names));
  void pass({
    address: { origin, path: req.url ?? '/' },
    trust: 'operator',
    headers: [],
    secrets: undefined,
    onEcho: () => {},
    clocks: { connect: 5000, idle: 60_000 },
    onHead: () => [],
    onEnd: () => Promise.resolve(),
  });
});
await listen(front);

let highest = 0;
setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 5);
process.on('message', () => {
  process.send?.({ highest });
  highest = process.memoryUsage.rss();
});
process.on('disconnect', () => process.exit());
process.send?.({ port: portOf(front) });
