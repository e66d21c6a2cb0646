import { withTimeout } from '../core/async/with-timeout.ts';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { GatewayError } from '../core/error.ts';
import { hasRole, type User } from './auth/users.ts';
import { maxBodySize, readObject } from './http/body.ts';
import { callLimits, CallLimiter } from './http/call-limiter.ts';
import { DashboardFiles } from './http/dashboard-files.ts';
import { checkHost, checkOrigin } from './http/guard.ts';
import { send, sendError, sendJson } from './http/reply.ts';
import { RouteTable } from './routes/match.ts';
import { type Access, type AdminCall, type AdminReply, type AdminRoute, checkNames } from './routes/route.ts';
import { createSideServer } from '../transport/inbound/listener/side-server.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import type { ManagedGateway } from './managed-gateway.ts';

export interface AdminServerDeps {
  readonly subject: ManagedGateway;
  readonly access: Access;
  readonly routes: readonly AdminRoute[];
  readonly metrics: MetricsPage;
  readonly files?: DashboardFiles;
  /** Monotonic time in milliseconds. */
  now(): number;
}

const usualLimitMs = 30_000;

/** The admin listener: dashboard, admin API, probes and metrics. It is not involved in proxied requests. */
export function createAdminServer(deps: AdminServerDeps): Server {
  const adminServer = new AdminServer(deps);
  return createSideServer(32 * 1024, (request, response) => {
    // The connection may break at any time; write errors after that are ignored.
    response.on('error', () => {});
    adminServer.serve(request, response).catch((error: unknown) => adminServer.handleFailure(error, response));
  });
}

class AdminServer {
  readonly #deps: AdminServerDeps;
  readonly #table: RouteTable;
  readonly #files: DashboardFiles;
  readonly #calls: CallLimiter;
  readonly #anonymousCalls: CallLimiter;

  constructor(deps: AdminServerDeps) {
    this.#deps = deps;
    this.#table = new RouteTable(deps.routes);
    this.#files = deps.files ?? new DashboardFiles();
    this.#calls = new CallLimiter(deps.now, callLimits.signedIn);
    this.#anonymousCalls = new CallLimiter(deps.now, callLimits.anonymous);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { subject } = this.#deps;
    const [path, search] = split(request.url ?? '/');
    checkHost(request, subject.settings().hosts ?? []);
    if (subject.probes(path, request, response)) return undefined;
    if (path === this.#deps.metrics.path()) return this.#metrics(request, response);
    if (path === '/api' || path.startsWith('/api/')) return this.#api(path, search, request, response);
    checkRead(request, 'The dashboard is');
    return this.#files.serve(path, request, response);
  }

  handleFailure(thrown: unknown, response: ServerResponse): void {
    try {
      const error = sendError(response, thrown);
      if (error.code === 'internal') this.#deps.subject.onDefect(thrown);
      if (!response.writableEnded) response.destroy();
    } catch (error) {
      this.#deps.subject.onDefect(error);
      response.destroy();
    }
  }

  async #api(path: string, search: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { access } = this.#deps;
    checkOrigin(request);
    const { route, params } = this.#table.find(request.method ?? 'GET', path);
    const user = authorize(route, access, request);
    const limitMs = route.limitMs ?? usualLimitMs;
    // The body of a client that has not signed in is read before the call is counted, because it may never be complete.
    const sent = route.role === 'anyone' && route.body !== undefined ? await readObject(request, maxBodySize.anonymous) : undefined;
    const finish = (route.role === 'anyone' ? this.#anonymousCalls : this.#calls).begin(user.proof);
    const over = new AbortController();
    const onClose = (): void => over.abort();
    response.once('close', onClose);
    try {
      const call: AdminCall = {
        subject: this.#deps.subject,
        access,
        request,
        user,
        params,
        query: new URLSearchParams(search),
        signal: over.signal,
        body: async () => {
          const body = sent ?? (await readObject(request, maxBodySize.signedIn));
          checkNames(Object.keys(body), route.body, 'member');
          return body;
        },
      };
      checkNames(call.query.keys(), route.query, 'parameter');
      const handled = (async () => route.handle(call))();
      const reply =
        limitMs === 0
          ? await handled
          : await withTimeout(handled, limitMs, () => {
              over.abort();
              // Not 408, after which some browsers send the request again.
              throw new GatewayError('timeout', {
                message: `The gateway did not finish this within ${limitMs / 1000} s.`,
                status: 504,
              });
            });
      if ('stream' in reply) {
        // Streams have their own limits.
        finish();
        await reply.stream(response);
      } else this.#write(reply, response);
    } finally {
      finish();
      response.off('close', onClose);
    }
  }

  #write(reply: Exclude<AdminReply, { readonly stream: unknown }>, response: ServerResponse): void {
    if ('bytes' in reply) return send(response, 200, reply.bytes, reply.headers);
    return sendJson(response, reply.status ?? 200, reply.json, reply.headers);
  }

  /** Open to everyone on this machine if the listener is local only, because a scraper has no session. */
  async #metrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { metrics, access } = this.#deps;
    checkRead(request, 'Metrics are');
    if (request.headers['sec-fetch-site'] === 'cross-site') checkOrigin(request);
    if (!access.isLoopback && access.userOf(request) === undefined) throw signInRequired();
    const { type, text } = await metrics.render();
    send(response, 200, text, { 'content-type': type });
  }
}

/** @throws GatewayError `method_not_allowed` */
function checkRead({ method }: IncomingMessage, what: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new GatewayError('method_not_allowed', { message: `${what} read with GET.`, allow: ['GET', 'HEAD'] });
}

const anyone: User = { name: 'anyone', role: 'viewer', proof: '' };

function authorize(route: AdminRoute, access: Access, request: IncomingMessage): User {
  if (route.role === 'anyone') return { ...anyone, proof: `address ${request.socket.remoteAddress ?? ''}` };
  const user = access.userOf(request);
  if (user === undefined) throw signInRequired();
  if (!hasRole(user.role, route.role))
    throw new GatewayError('not_allowed', { message: `"${user.name}" has the role ${user.role}, and this needs ${route.role}.` });
  return user;
}

const signInRequired = (): GatewayError =>
  new GatewayError('sign_in_required', {
    message: 'Sign in first.',
    hint: 'Send authorization: Bearer with an admin token, or open the link that gateway dashboard prints.',
  });

/** Splits a URL into path and query. */
function split(url: string): readonly [path: string, search: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
