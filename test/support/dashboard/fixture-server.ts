import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Role, Status } from '../../../src/admin/api-types.ts';
import { send, sendError, sendJson } from '../../../src/admin/http/reply.ts';
import { type LiveReader, LiveRow } from '../../../src/admin/live/hub.ts';
import { streamRows } from '../../../src/admin/live/stream.ts';
import { GatewayError } from '../../../src/core/error.ts';
import { recordNotFound } from '../../../src/core/logs/not-found.ts';
import type { LogRow } from '../../../src/core/logs/row.ts';
import { createMask } from '../../../src/core/secrets/mask.ts';
import { readFilter } from '../../../src/query/read-filter.ts';
import { matcher } from '../../../src/query/match.ts';
import { figuresOf, statsOf } from './figures.ts';
import { recordOf } from './record.ts';
import { emptyServing, type Serving, servingReply } from './serving.ts';

const root = join(import.meta.dirname, '../../../dist/dashboard');
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
/** Masks nothing. */
const mask = createMask([]);

export interface FixtureServer {
  readonly url: string;
  /** Adds a request that has just finished: to the list, and to all live readers. */
  add(row: LogRow): void;
  /** Ends the live connections. Rows are no longer known by the ids of events that were sent before. */
  restart(): void;
  /** Number of readers of the live rows. */
  watching(): number;
  /** Changes the responses to the next calls. */
  set(state: { role?: Role | null; status?: Partial<Status>; failing?: boolean }): void;
  close(): Promise<void>;
}

/** The admin API over rows in memory, for pages without a gateway, including states that are rare in a real one. Rows are newest first. */
export async function startFixtureServer(initial: readonly LogRow[], serving: Serving = emptyServing()): Promise<FixtureServer> {
  const rows = [...initial];
  const readers = new Set<LiveReader>();
  const live = new Set<ServerResponse>();
  let last = 0;
  let boot = 1;
  const state: { role: Role | null; status: Partial<Status>; failing: boolean } = { role: 'admin', status: {}, failing: false };

  const api: Record<string, (query: URLSearchParams, rest: string) => unknown> = {
    session: () => ({ role: state.role, name: state.role, is_open: false, version: '0.2.0' }),
    status: () => ({ ...statusOf(rows), ...state.status }),
    requests: (query, rest) => (rest === '' ? pageOf(rows, query) : recordFor(rows, rest)),
    traces: (_query, rest) => ({ rows: rows.filter((row) => row.trace === rest).toReversed() }),
    stats: (query) => {
      const { found: matching, since, until } = find(rows, query.get('q') ?? '');
      const range = [since ?? rows.at(-1)?.at ?? Date.now() - 3_600_000, until ?? Date.now()] as const;
      const step = query.has('step') ? Number(query.get('step')) : null;
      return statsOf(matching, { by: query.get('by'), top: Number(query.get('top') ?? 20), step }, range);
    },
    suggest: (query) => suggestionsOf(rows, query.get('text') ?? ''),
    names: () => ({ meta: [...new Set(rows.slice(0, 200).flatMap((row) => Object.keys(row.meta)))], label: [] }),
  };

  const server = createServer((request, response) => {
    // The page has the clock that a test sets.
    response.sendDate = false;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, first, second, ...rest] = url.pathname.split('/');
    if (first !== 'api') return page(url.pathname, response);
    if (state.failing)
      return void sendError(response, new GatewayError('log_unavailable', { message: 'The request log is not available.' }));
    if (second === 'session' && request.method === 'POST') {
      state.role = 'admin';
      return sendJson(response, 200, api.session?.(url.searchParams, ''));
    }
    if (state.role === null && second !== 'session')
      return void sendError(response, new GatewayError('sign_in_required', { message: 'Sign in first.' }));
    if (second === 'live') return sendNewRows(request, response, url.searchParams);
    if (rest.at(-1) === 'body') {
      const row = rows.find(({ id }) => id === rest[0]);
      const part = (url.searchParams.get('part') ?? 'request') as 'request';
      if (row === undefined) return void sendError(response, recordNotFound(rest[0] ?? ''));
      return send(response, 200, recordOf(row).bodies[part], {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment',
      });
    }
    if (rest.at(-1) === 'differences') return sendJson(response, 200, differences);
    if (second === 'explain' && serving.explanation === undefined) return sendJson(response, 200, explanation);
    if (isServed(second ?? '')) return void respond(serving, request, response);
    try {
      const value = api[second ?? '']?.(url.searchParams, rest.join('/'));
      if (value === undefined) throw unknownRoute();
      return sendJson(response, 200, value);
    } catch (error) {
      return void sendError(response, error);
    }
  });
  /** Streams live rows with the gateway's own code. */
  const sendNewRows = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void => {
    const disconnected = new AbortController();
    live.add(response);
    response.once('close', () => {
      live.delete(response);
      disconnected.abort();
    });
    const add = (reader: LiveReader) => {
      readers.add(reader);
      return () => void readers.delete(reader);
    };
    const hub = { last, since: () => undefined, add };
    const { matches } = find([], query.get('q') ?? '');
    void streamRows(response, {
      hub,
      owner: 'fixture',
      boot: String(boot),
      matches,
      isBare: false,
      mask: () => mask,
      isStillAuthorized: () => true,
      // A page that opens a new connection cannot set the header.
      lastId: (request.headers['last-event-id'] as string | undefined) ?? query.get('last') ?? undefined,
      signal: disconnected.signal,
    });
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(row) {
      rows.unshift(row);
      last += 1;
      for (const reader of readers) {
        reader.addRow(new LiveRow(last, row));
        reader.flush();
      }
    },
    restart() {
      boot += 1;
      for (const response of live) response.end();
    },
    watching: () => readers.size,
    set: (change) => void Object.assign(state, change),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const served = [
  'revisions',
  'config',
  'configs',
  'providers',
  'prompts',
  'keys',
  'explain',
  'reload',
  'rollback',
  'drain',
  'plan',
  'check',
];
const isServed = (resource: string): boolean => served.includes(resource);

async function respond(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = Buffer.concat(await request.toArray()).toString();
  const url = new URL(request.url ?? '/', 'http://localhost');
  try {
    const reply = servingReply(serving, request.method ?? 'GET', url, text === '' ? undefined : JSON.parse(text));
    if (reply === undefined) throw unknownRoute();
    sendJson(response, reply.status, reply.json);
  } catch (error) {
    sendError(response, error);
  }
}

function page(path: string, response: ServerResponse): void {
  const file = join(root, extname(path) === '' ? 'index.html' : path);
  if (!existsSync(file)) return send(response, 404, '', {});
  send(response, 200, readFileSync(file), { 'content-type': `${types[extname(file)] ?? 'text/plain'}; charset=utf-8` });
}

const unknownRoute = (): GatewayError =>
  new GatewayError('route_not_found', { message: 'There is no such route.', hint: 'Did you mean another?' });

function find(rows: readonly LogRow[], text: string) {
  const filter = readFilter(text, Date.now());
  const matches = matcher(filter);
  return { found: rows.filter(matches), matches, since: filter.since, until: filter.until };
}

function pageOf(rows: readonly LogRow[], query: URLSearchParams) {
  const { found: matching } = find(rows, query.get('q') ?? '');
  const before = query.get('before');
  const from = before === null ? 0 : matching.findIndex(({ id }) => id === before) + 1;
  const page = matching.slice(from, from + Number(query.get('limit') ?? 100));
  return { rows: page, next: from + page.length < matching.length ? (page.at(-1)?.id ?? null) : null };
}

function recordFor(rows: readonly LogRow[], id: string) {
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined) throw recordNotFound(id);
  return { record: recordOf(row).record, bodies: ['request', 'upstream', 'response'], feedback: [] };
}

function suggestionsOf(rows: readonly LogRow[], text: string) {
  const lastWord = /[^ ]*$/.exec(text)?.[0] ?? '';
  const from = text.length - lastWord.length;
  const [name = '', value] = lastWord.split(':');
  const range = { from, to: text.length };
  if (value === undefined)
    return ['status', 'model', 'provider', 'config', 'key', 'latency', 'error', 'cost', 'fallback', 'since']
      .filter((field) => field.startsWith(name))
      .map((field) => ({ insert: `${field}:`, ...range, kind: 'field', count: null, about: null }));
  const counts = Map.groupBy(rows.slice(0, 5000), (row) => String((row as unknown as Record<string, unknown>)[name] ?? ''));
  return [...counts]
    .filter(([fieldValue]) => fieldValue !== '' && fieldValue.startsWith(value))
    .slice(0, 8)
    .map(([fieldValue, matchingRows]) => ({
      insert: fieldValue,
      from: text.length - value.length,
      to: text.length,
      kind: 'value',
      count: matchingRows.length,
      about: null,
    }));
}

const explanation = {
  request: { method: 'POST', path: '/v1/chat/completions', endpoint: 'chat/completions' },
  key: { name: 'app-web', at: { file: 'gateway.yaml', line: 41 } },
  prompt: null,
  config: { name: 'support', by: 'header x-gateway-config', at: { file: 'configs/support.yaml', line: 1 } },
  overruled: [],
  route: [],
  targets: [],
  plugins: [],
  removed_headers: [{ name: 'x-gateway-api-key', why: 'for the gateway alone' }],
  warnings: [],
  log: { bodies: 'redacted', at: null },
  answer: null,
};

const differences = {
  why_absent: null,
  differences: [
    { path: 'model', kind: 'changed', before: '"support"', after: '"gpt-4o-mini"', cause: 'model name', at: null },
    {
      path: 'temperature',
      kind: 'changed',
      before: '0.9',
      after: '0.2',
      cause: 'override_params',
      at: { file: 'configs/support.yaml', line: 10 },
    },
    { path: 'labels.team', kind: 'added', after: '"support"', cause: 'labels', at: { file: 'configs/support.yaml', line: 5 } },
    { path: 'logit_bias', kind: 'removed', before: '{}', cause: 'not known to this provider', at: null },
  ],
};

function statusOf(rows: readonly LogRow[]): Status {
  const now = Date.now();
  const recent = rows.filter((row) => row.at > now - 300_000);
  const slugs = ['openai-main', 'azure-eu', 'claude', 'vertex-eu'];
  return {
    version: '0.2.0',
    node: 'v24.21.0',
    pid: 4127,
    header_prefixes: ['x-gateway-', 'x-portkey-'],
    started_at: now - 7_200_000,
    url: 'http://127.0.0.1:8787/v1',
    example: { model: '@openai-main/gpt-4o-mini', needs_key: true },
    revision: '91bd0e7c',
    config_path: 'gateway.yaml',
    last_reload: null,
    rolled_back_to: null,
    restart_needed: [],
    workers: [1, 2].map((worker) => ({
      worker,
      pid: 4127 + worker,
      state: 'serving',
      restarts: worker - 1,
      last_end: worker === 1 ? null : { at: now - 1_800_000, why: 'ended by SIGKILL' },
      requests: rows.length * worker,
      in_flight: worker,
      memory: { rss: 98_000_000, heap: 41_000_000 },
      loop_delay_ms: { p50: 0.2, p99: 1.8 },
    })),
    in_flight: 3,
    open_streams: 2,
    draining: false,
    memory: { rss: 98_000_000, heap: 41_000_000, bodies: 1_200_000, bodies_limit: 256_000_000 },
    loop_delay_ms: { p50: 0.2, p99: 1.8 },
    store: {
      kind: 'sqlite .gateway/requests.db',
      records: rows.length,
      bytes: rows.length * 2100,
      oldest: rows.at(-1)?.at ?? null,
      spool: { bytes: 4096, limit: 67_108_864, behind_ms: 12 },
      dropped: 0,
      dropped_bodies: 0,
      problems: [],
    },
    notes: [],
    plugins: [{ name: 'auth', moments: ['admit'], p50_ms: 0.1, p95_ms: 0.2 }],
    providers_total: slugs.length,
    providers: slugs.map((slug, i) => {
      const figures = figuresOf(recent.filter((row) => row.provider === slug));
      const last = recent.find((row) => row.provider === slug && row.status >= 400);
      return {
        slug,
        state: figures.requests === 0 ? (i === 3 ? 'off' : 'idle') : figures.errors / figures.requests > 0.1 ? 'degraded' : 'ok',
        figures,
        last_error: last === undefined ? null : { at: last.at, message: last.message ?? '', id: last.id },
      };
    }),
  };
}
