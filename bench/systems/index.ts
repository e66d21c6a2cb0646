import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess } from '../processes.ts';
import { gateway } from './gateway.ts';
import { nginx } from './nginx.ts';
import { portkey } from './portkey.ts';
import { model, type System } from './system.ts';

const here = dirname(fileURLToPath(import.meta.url));

const relay: System = {
  name: 'relay',
  model,
  async start({ upstream }) {
    const port = await freePort();
    return startProcess([process.execPath, join(here, 'bare-relay.ts'), String(port), String(upstream)], port);
  },
};

/** `gateway` uses the default: bodies stored and redacted. The other variants show the cost of the log. */
export const systems = (sources: boolean): readonly System[] => [
  nginx,
  relay,
  gateway('gateway', { sources }),
  gateway('log-metadata', { sources, requests: '{bodies: metadata}' }),
  gateway('log-off', { sources, requests: 'off' }),
  portkey(),
];
