import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { answerMetrics, type MetricsPage } from './metrics-page.ts';
import { isLoopbackHost } from '../../core/http/listen-address.ts';
import { createSideServer } from './listener/side-server.ts';

/** What `/readyz` shows. */
export interface Readiness {
  /** Why the gateway takes no traffic; empty when it does. */
  reasons(): readonly string[];
  /** What makes nothing less ready. They name files of the machine. */
  readonly notes: readonly string[];
  /**
   * How the last load of the configuration ended. A failed one makes nothing less ready: the last good one serves.
   *
   * @param isDetailed with names of files
   */
  config(isDetailed: boolean): object;
  /** The worker processes, where there are some. */
  workers?(): readonly object[];
}

/**
 * Answers `/healthz`, 200 while the process lives, and `/readyz`, 200 while it takes requests. False for every other
 * path, which is left unanswered.
 */
export type Probes = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/** @param isOperators only operators reach the listener; on another one, names of files are shown to this machine only */
export function createProbes(readiness: Readiness, isOperators: boolean): Probes {
  return (path, request, response) => {
    if (path !== '/healthz' && path !== '/readyz') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      answer(response, 405, { status: 'method not allowed' }, { allow: 'GET, HEAD' });
    else if (path === '/healthz') answer(response, 200, { status: 'ok' });
    else answerReady(readiness, isOperators || isOfThisMachine(request), response);
    return true;
  };
}

function answerReady({ reasons, notes, config, workers }: Readiness, isDetailed: boolean, response: ServerResponse): void {
  const found = reasons();
  const isReady = found.length === 0;
  answer(response, isReady ? 200 : 503, {
    status: isReady ? 'ok' : 'not ready',
    reasons: found,
    ...(isDetailed && notes.length > 0 ? { notes } : {}),
    config: config(isDetailed),
    ...(isDetailed && workers !== undefined ? { workers: workers() } : {}),
  });
}

/** Headers of proxies and of web pages. */
const ofOthers = [
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
 * A request that came through a proxy may be anybody's, and so may one whose host is another name of this machine: a web
 * page reaches it in that way.
 */
function isOfThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (ofOthers.some((name) => headers[name] !== undefined) || !isLoopbackHost(hostIn(headers.host ?? 'localhost'))) return false;
  return socket.remoteAddress === undefined || isLoopbackHost(socket.remoteAddress.replace(/^::ffff:/, ''));
}

/** Without brackets and port. */
const hostIn = (host: string): string => /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase())?.slice(1).join('') ?? '';

/** The probe listener, which serves nothing else but metrics. */
export function createProbeServer(probes: Probes, metrics: MetricsPage): Server {
  return createSideServer({}, (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (!probes(path, request, response) && !answerMetrics(metrics, path, request, response))
      answer(response, 404, { status: 'not found' });
  });
}

function answer(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(`${JSON.stringify(body)}\n`);
}
