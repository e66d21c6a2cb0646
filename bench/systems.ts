import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, output, type Running, start } from './processes.ts';

/** What is measured: the way it is started, between the same upstream and the same clients as the others. */
export interface System {
  readonly name: 'direct' | 'nginx' | 'relay' | 'gateway';
  /** @throws Error when it can't be started here */
  start(upstream: number, folder: string): Promise<Running>;
}

export const key = 'bench-key-that-opens-nothing-else';
export const model = '@bench/mock-1';

const here = dirname(fileURLToPath(import.meta.url));

/** The upstream itself: what latency is compared with. It is not stopped here, and its CPU time is not ours. */
const direct: System = {
  name: 'direct',
  start: async (upstream) => ({ pid: 0, port: upstream, [Symbol.asyncDispose]: async () => {} }),
};

const nginx: System = {
  name: 'nginx',
  async start(upstream, folder) {
    await output(['nginx', '-v']);
    const port = await freePort();
    const home = join(folder, 'nginx');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'nginx.conf'), nginxConf(port, upstream, home));
    return start(['nginx', '-p', home, '-c', join(home, 'nginx.conf'), '-e', 'stderr'], port);
  },
};

/** One worker, keep-alive on both sides, nothing read and nothing logged: what the kernel itself costs. */
const nginxConf = (port: number, upstream: number, home: string): string => `
worker_processes 1;
daemon off;
pid ${home}/pid;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `  ${kind}_temp_path ${home}/${kind};`).join('\n')}
  upstream bench { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 100m;
    client_body_buffer_size 64k;
    location / {
      proxy_pass http://bench;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;

const relay: System = {
  name: 'relay',
  async start(upstream) {
    const port = await freePort();
    return start([process.execPath, join(here, 'relay.ts'), String(port), `http://127.0.0.1:${upstream}`], port);
  },
};

/** With all six plugins, an API key, and every request in the spool. */
const gateway: System = {
  name: 'gateway',
  async start(upstream, folder) {
    const port = await freePort();
    const command = [
      process.execPath,
      ...nodeFlags(),
      join(here, '../src/cli/bin.js'),
      'start',
      '-c',
      join(here, 'gateway.yaml'),
      '--listen',
      `127.0.0.1:${port}`,
    ];
    return start(command, port, {
      BENCH_UPSTREAM: `http://127.0.0.1:${upstream}/v1`,
      BENCH_STATE: join(folder, 'state'),
      BENCH_KEY_HASH: `sha256:${createHash('sha256').update(key).digest('hex')}`,
      NODE_ENV: 'production',
    });
  },
};

/** What `npm start` gives to Node: without it, V8 keeps short-lived objects in the old generation. */
function nodeFlags(): string[] {
  const manifest = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8')) as { config: { node: string } };
  return manifest.config.node.split(' ');
}

export const systems: readonly System[] = [direct, nginx, relay, gateway];
