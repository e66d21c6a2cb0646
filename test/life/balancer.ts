import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A gateway behind the balancer. */
export interface Backend {
  readonly host: string;
  readonly port: number;
  /** Path of the socket that serves `/readyz`. */
  readonly probe: string;
  isReady: boolean;
}

/** A load balancer for connections: a new connection goes to the next backend that is ready. */
export interface Balancer {
  readonly url: string;
  add(backend: Omit<Backend, 'isReady'>): Backend;
  remove(backend: Backend): void;
  /** Connections without a ready backend, or with one that refused them. */
  readonly failures: string[];
  close(): Promise<void>;
}

const probeEvery = 50;

export async function startBalancer(): Promise<Balancer> {
  const backends: Backend[] = [];
  const failures: string[] = [];
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const ready = backends.filter((one) => one.isReady);
    turn += 1;
    const backend = ready[turn % ready.length];
    open.add(client.on('close', () => open.delete(client)).on('error', () => undefined));
    if (backend === undefined) {
      failures.push('nobody is ready');
      client.destroy();
      return;
    }
    const inner = connect({ host: backend.host, port: backend.port, allowHalfOpen: true });
    open.add(inner.on('close', () => (open.delete(inner), client.destroySoon())));
    inner.on('error', (error) => (failures.push(error.message), client.destroy()));
    client.on('close', () => inner.destroySoon());
    client.pipe(inner);
    inner.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pending = new Set<Backend>();
  const probe = async (backend: Backend): Promise<void> => {
    // On a busy machine, the response to an earlier probe could otherwise arrive after that to a later one.
    if (pending.has(backend)) return;
    pending.add(backend);
    backend.isReady = await isReady(backend.probe);
    pending.delete(backend);
  };
  const probing = setInterval(() => {
    for (const backend of backends) void probe(backend);
  }, probeEvery);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    add(backend) {
      const added = { ...backend, isReady: true };
      backends.push(added);
      return added;
    },
    remove: (backend) => void backends.splice(backends.indexOf(backend), 1),
    async close() {
      clearInterval(probing);
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function isReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    request({ socketPath, path: '/readyz', agent: false }, (response) => (response.resume(), resolve(response.statusCode === 200)))
      .on('error', () => resolve(false))
      .end();
  });
}
