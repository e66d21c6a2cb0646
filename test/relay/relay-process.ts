/** A relay in its own process, to measure its memory: `node relay-process.ts <origin>`, controlled over IPC. */
import { createFront } from './front.ts';
import { listen, portOf } from './rig.ts';

const [origin = ''] = process.argv.slice(2);
const { server: front } = createFront(
  () => [origin],
  {},
  () => {},
);
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
