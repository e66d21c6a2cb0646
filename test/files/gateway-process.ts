/** A gateway in its own process, so that its memory can be measured: `node gateway-process.ts <origin>`, controlled over IPC. */
import { startTestGateway } from '../support/gateway.ts';

const [origin = ''] = process.argv.slice(2);
const gateway = await startTestGateway(
  JSON.stringify({
    version: 1,
    server: { state_dir: 'memory' },
    providers: { a: { type: 'openai', api_key: 'sk-key-of-provider-a-0123456789', custom_host: `${origin}/v1` } },
  }),
);

let highest = process.memoryUsage.rss();
setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 5);
process.on('message', () => {
  process.send?.({ highest, records: gateway.records.length });
  highest = process.memoryUsage.rss();
});
process.on('disconnect', () => void gateway.close().finally(() => process.exit()));
process.send?.({ url: gateway.url });
