import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess } from '../processes.ts';
import { gateway, type GatewayOptions } from './gateway.ts';
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

/** Starts what makes the upstream available by https. */
export const tlsFrontCommand = (port: number, upstream: number): readonly string[] => [
  process.execPath,
  join(here, 'tls-front.ts'),
  String(port),
  String(upstream),
];

/** The gateway by `logging.requests`. `gateway` uses the default: bodies stored and redacted. The others show the cost of the log. */
export const gateways: Readonly<Record<string, GatewayOptions>> = {
  gateway: {},
  'log-metadata': { requests: '{bodies: metadata}' },
  'log-off': { requests: 'off' },
};

export const systems = (sources: boolean): readonly System[] => [
  nginx,
  relay,
  ...Object.entries(gateways).map(([name, options]) => gateway(name, { ...options, sources })),
  portkey(),
];
