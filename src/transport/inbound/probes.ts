import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { serveMetrics, type MetricsPage } from './metrics-page.ts';
import { hostNameOf, isLoopbackHost } from '../../core/http/listen-address.ts';
import { createSideServer } from './listener/side-server.ts';

/** Data for `/readyz`. */
export interface Readiness {
  /** Why the gateway accepts no traffic; empty if it does. */
  reasons(): readonly string[];
  /** Problems that do not affect readiness. They may contain local file names. */
  readonly notes: readonly string[];
  /**
   * Result of the last load of the configuration. A failure does not affect readiness, because the previous
   * configuration stays active.
   *
   * @param isDetailed include file names
   */
  config(isDetailed: boolean): object;
  /** State of the worker processes, if there are some. */
  workers?(): readonly object[];
}

/**
 * Serves `/healthz`, 200 while the process runs, and `/readyz`, 200 while it accepts requests. Returns false for any
 * other path, without sending a response.
 */
export type Probes = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/** @param isOperatorListener true if only operators can reach the listener; on other listeners, file names are shown only to this machine */
export function createProbes(readiness: Readiness, isOperatorListener: boolean): Probes {
  return (path, request, response) => {
    if (path !== '/healthz' && path !== '/readyz') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      sendJson(response, 405, { status: 'method not allowed' }, { allow: 'GET, HEAD' });
    else if (path === '/healthz') sendJson(response, 200, { status: 'ok' });
    else sendReadiness(readiness, isOperatorListener || isFromThisMachine(request), response);
    return true;
  };
}

function sendReadiness({ reasons, notes, config, workers }: Readiness, isDetailed: boolean, response: ServerResponse): void {
  const found = reasons();
  const isReady = found.length === 0;
  sendJson(response, isReady ? 200 : 503, {
    status: isReady ? 'ok' : 'not ready',
    reasons: found,
    ...(isDetailed && notes.length > 0 ? { notes } : {}),
    config: config(isDetailed),
    ...(isDetailed && workers !== undefined ? { workers: workers() } : {}),
  });
}

/** Headers that proxies and web pages add. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'origin',
  'referer',
] as const;

/**
 * True if the request is from this machine. A request through a proxy may be from anywhere, and so may one with a
 * foreign host name, which a web page can use (DNS rebinding).
 */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (proxyHeaders.some((name) => headers[name] !== undefined) || !isLoopbackHost(hostNameOf(headers.host ?? 'localhost'))) return false;
  return socket.remoteAddress === undefined || isLoopbackHost(socket.remoteAddress.replace(/^::ffff:/, ''));
}

/** The probe listener, which serves only probes and metrics. */
export function createProbeServer(probes: Probes, metrics: MetricsPage): Server {
  return createSideServer(16 * 1024, (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (!probes(path, request, response) && !serveMetrics(metrics, path, request, response))
      sendJson(response, 404, { status: 'not found' });
  });
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}
