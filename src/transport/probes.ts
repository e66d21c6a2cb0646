import { createServer, type Server } from 'node:http';

/** Why the gateway takes no traffic; empty when it does. */
export type Readiness = () => readonly string[];

/**
 * The probe listener: `/healthz` is 200 while the process lives, `/readyz` while it takes requests.
 *
 * @param notes what `/readyz` tells beside, and what makes nothing less ready
 */
export function createProbeServer(readiness: Readiness, notes: readonly string[] = []): Server {
  return createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(`${JSON.stringify(body)}\n`);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, { status: 'method not allowed' });
    else if (request.url === '/healthz') answer(200, { status: 'ok' });
    else if (request.url === '/readyz') {
      const reasons = readiness();
      answer(reasons.length === 0 ? 200 : 503, {
        status: reasons.length === 0 ? 'ok' : 'not ready',
        reasons,
        ...(notes.length === 0 ? {} : { notes }),
      });
    } else answer(404, { status: 'not found' });
  });
}
