import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Why the gateway takes no traffic; empty when it does. */
export type Readiness = () => readonly string[];

/**
 * Answers `/healthz`, 200 while the process lives, and `/readyz`, 200 while it takes requests. False for every other
 * path, which is left unanswered.
 */
export type Probes = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * @param notes what `/readyz` also shows, and what does not make the gateway less ready. Left out where anybody may
 * ask: they name files of the machine
 */
export function createProbes(readiness: Readiness, notes: readonly string[] = []): Probes {
  return (path, { method }, response) => {
    if (path !== '/healthz' && path !== '/readyz') return false;
    if (method !== 'GET' && method !== 'HEAD') {
      answer(response, 405, { status: 'method not allowed' }, { allow: 'GET, HEAD' });
      return true;
    }
    const reasons = path === '/readyz' ? readiness() : [];
    const isReady = reasons.length === 0;
    const status = isReady ? 'ok' : 'not ready';
    answer(response, isReady ? 200 : 503, path === '/healthz' ? { status } : { status, reasons, ...(notes.length === 0 ? {} : { notes }) });
    return true;
  };
}

/** The probe listener, which serves nothing else. */
export function createProbeServer(probes: Probes): Server {
  return createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (!probes(path, request, response)) answer(response, 404, { status: 'not found' });
  });
}

function answer(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}
