/** A gateway in its own process, to measure its memory over IPC: `node gateway-process.ts <config as JSON>`. */
import { startTestGateway } from '../support/gateway.ts';

const [config = '{}'] = process.argv.slice(2);
const gateway = await startTestGateway(config);

const start = process.memoryUsage.rss();
let highest = start;
setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 5);
process.on('message', () => {
  process.send?.({ memoryGrowth: highest - start, records: gateway.records.map(({ status, error }) => [status, error?.code ?? null]) });
});
process.on('disconnect', () => void gateway.close().finally(() => process.exit()));
process.send?.({ url: gateway.url });
