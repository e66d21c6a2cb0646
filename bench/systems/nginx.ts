import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, output, startProcess } from '../processes.ts';
import { model, type System } from './system.ts';

export const nginx: System = {
  name: 'nginx',
  model,
  async start({ upstream, folder }) {
    await output(['nginx', '-v']);
    const port = await freePort();
    const home = join(folder, 'nginx');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'nginx.conf'), nginxConf(port, upstream, home));
    return startProcess(['nginx', '-p', home, '-c', join(home, 'nginx.conf'), '-e', 'stderr'], port);
  },
};

/** One process, keep-alive on both sides, no parsing of bodies and no logging: the cost of the kernel. */
const nginxConf = (port: number, upstream: number, home: string): string => `
daemon off;
master_process off;
pid ${home}/pid;
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 1000000000;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `  ${kind}_temp_path ${home}/${kind};`).join('\n')}
  upstream bench { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 100m;
    client_body_buffer_size 1m;
    location / {
      proxy_pass http://bench;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
