import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { relayedHeaders, unparsedTap } from '../../plugins/transform/relayed.ts';
import type { PendingBody, RequestBody, RequestHead } from '../../src/core/http/request.ts';
import type { Client } from '../../src/core/http/client.ts';
import type { Dialect } from '../../src/core/dialect.ts';
import type { Endpoint } from '../../src/core/endpoint.ts';
import { GatewayError } from '../../src/core/error.ts';
import { defaultPrefixes, type HeaderPairs, joinHeaders } from '../../src/core/http/headers.ts';
import { MemoryBudget } from '../../src/core/memory/budget.ts';
import type { Attempt, Plan, Reply, Verdict } from '../../src/core/plan.ts';
import type { PluginInstance } from '../../src/core/plugin.ts';
import type { Call, CommonSettings } from '../../src/core/provider.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import type { CredentialRef, Leaf } from '../../src/core/snapshot.ts';
import { Chains } from '../../src/pipeline/chain.ts';
import { Handling } from '../../src/pipeline/handle.ts';
import { InFlightByKey } from '../../src/pipeline/in-flight.ts';
import { schedule } from '../../src/core/async/schedule.ts';
import type { GroupCommit, FullRecord } from '../../src/pipeline/record/group-commit.ts';
import type { RequestContext } from '../../src/pipeline/request.ts';
import { RelayedBody } from '../../src/transport/inbound/body/relayed-body.ts';
import { headerNames, RequestHeaderBag } from '../../src/transport/inbound/header-bag.ts';
import { UpgradeClient } from '../../src/transport/inbound/listener/upgrade-client.ts';
import { NodeClient } from '../../src/transport/inbound/listener/node-client.ts';
import { createEgress } from '../../src/transport/outbound/egress/egress.ts';
import { createSweeper } from '../../src/transport/wire/sweeper.ts';
import { createSender } from '../../src/transport/outbound/sender.ts';
import { createUpstream } from '../../src/transport/outbound/upstream.ts';
import { makeBinding, makeLeaf, makeProvider, makeSnapshot } from '../support/stage-context.ts';
import type { PassResult, RigOptions } from './rig-options.ts';
import { TimerWheel } from '../../src/transport/wire/timer-wheel.ts';

/** The gateway side of a relay: the real handlers, sender and clients, with a chain that only selects the target. */
export interface Front {
  readonly server: Server;
  /** Ends running requests like a gateway that stops. */
  close(): void;
  dispose(): Promise<void>;
}

const bagNames = headerNames(defaultPrefixes);
const noList: readonly string[] = [];

const provider = makeProvider({ fault: (_status, body) => ({ message: body }) });

const report = (error: unknown): void => {
  throw error;
};

export function createFront(origins: () => readonly string[], options: RigOptions, onResult: (result: PassResult) => void): Front {
  const monotonic = (): number => performance.now() * (options.speed ?? 1);
  const wheel = new TimerWheel();
  const sweeper = createSweeper(wheel, monotonic, report);
  const egress = options.egress ?? createEgress(() => options.allow ?? noList);
  const upstream = createUpstream({ wheel, lookup: egress.lookup });
  const budget = new MemoryBudget(Number.POSITIVE_INFINITY);
  const send = createSender({
    upstream,
    sweeper,
    budget,
    clock: { now: Date.now, monotonic },
    schedule: schedule,
    egress,
    passed: () => {},
    onEcho: () => options.onEcho?.(),
    maxRecorded: () => 0,
    maxResponse: () => 64_000_000,
    maxInFlight: () => 100,
  });
  const live = new Set<Handling>();

  const handle = (req: IncomingMessage, endpoint: Endpoint, client: Client, body: PendingBody): void => {
    const state: HandlingState = { error: undefined, status: undefined, isSpent: false };
    const instrumentedClient = withErrorCode(client, state);
    const chains = new Chains([{ name: 'rig', instance: chainPlugin(origins(), options, state), endpoints: undefined }], monotonic);
    const snapshot = makeSnapshot();
    const commit = {
      async add({ record }: FullRecord, release: () => void): Promise<void> {
        const result = resultOf(record, state);
        await options.onEnd?.(result);
        release();
        onResult(result);
      },
    } as unknown as GroupCommit;
    const value = {
      snapshot,
      chains,
      steps: [],
      isolation: undefined,
      maskBytes: (bytes: Buffer) => bytes,
      dispose: () => Promise.resolve(),
    };
    const handling = new Handling(
      { arrival: arrivalOf(req, endpoint, monotonic()), client: instrumentedClient, body, refusal: undefined },
      { value, release: () => {} },
      {
        send,
        commit,
        inFlightLimiter: new InFlightByKey(),
        budget,
        dialects: { openai: dialectOf(state), messages: dialectOf(state), responses: dialectOf(state) },
        monotonic,
        schedule,
        enter: () => {},
        onDefect: report,
        onFinished: () => {},
        onReleased: () => void live.delete(handling),
      },
    );
    live.add(handling);
    handling.start();
  };

  const server = createServer((req, res) => {
    res.on('error', () => {});
    const body = new RelayedBody(req, undefined, { sweeper, monotonic, passed: () => {} });
    handle(req, 'relay', new NodeClient(res), {
      received: 0,
      read: (done: (body: RequestBody) => void) => done(body),
      drop: () => body.close(),
    });
  });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const client = new UpgradeClient(req, socket, head);
    handle(req, 'realtime', client, client);
  });
  return {
    server,
    close: () => {
      for (const handling of live) handling.stop();
    },
    async dispose() {
      sweeper.close();
      await upstream.close();
    },
  };
}

/** The state of one request that the parts of the rig share. */
interface HandlingState {
  error: GatewayError | undefined;
  status: number | undefined;
  isSpent: boolean;
}

/** The chain: targets in order, with the request unchanged. */
function chainPlugin(origins: readonly string[], options: RigOptions, state: HandlingState): PluginInstance {
  const { secrets } = options;
  const credential: CredentialRef = {
    owner: 'caller',
    headers: () => options.headers ?? [],
    ...(secrets === undefined ? {} : { secrets: () => secrets }),
  };
  const binding = makeBinding('rig', { provider, trust: options.trust ?? 'operator', credential: () => credential });
  const leaves = origins.map((_, index) => makeLeaf({ index, path: `config.targets[${index}]`, provider: binding }));
  const { connect, idle } = options.clocks ?? { connect: 5000, idle: 20_000 };
  const next: Verdict = { do: 'next', because: 'rig' };
  return {
    plan: (): Plan => ({ first: leaves[0] as Leaf, after: (history) => leaves[(history.at(-1)?.attempt.target.index ?? 0) + 1] }),
    prepare(ctx, attempt: Attempt) {
      const { body, headers, method, endpoint, path, query } = ctx as RequestContext;
      const url = query === '' ? path : `${path}?${query}`;
      const all: HeaderPairs = [...relayedHeaders(headers), 'accept-encoding', 'identity'];
      attempt.upstream = {
        origin: origins[attempt.target.index] ?? '',
        path: options.path?.(url) ?? url,
        method,
        headers: all,
        body: body.kind === 'passing' || body.kind === 'socket' ? body : { kind: 'none' },
        dropped: [],
      };
      attempt.translation = { request: attempt.upstream, tap: unparsedTap };
      attempt.call = { endpoint, method, stream: false } as Call<CommonSettings>;
      attempt.credential = credential;
      attempt.timeouts = { ...attempt.timeouts, connect, idle };
    },
    judge(ctx, outcome) {
      const { received } = ctx as RequestContext;
      state.isSpent = received.kind === 'passing' && received.isSpent;
      return outcome.kind === 'answered' || outcome.kind === 'cancelled' ? { do: 'answer' } : next;
    },
    reply(ctx, _attempt, reply: Reply) {
      const { received } = ctx as RequestContext;
      state.isSpent = received.kind !== 'passing' || received.isSpent;
      state.status = reply.status;
      const extraHeaders = options.onHead?.(reply.status) ?? [];
      if (extraHeaders instanceof GatewayError) return { refuse: extraHeaders };
      reply.headers = joinHeaders(
        reply.headers,
        extraHeaders.filter((_, at) => extraHeaders[at - (at % 2)] !== 'x-request-id'),
      );
      return undefined;
    },
  };
}

/** Errors as plain text, with the code in a header. */
const dialectOf = (state: HandlingState): Dialect => ({
  isError: () => true,
  errorBody(error) {
    state.error = error;
    return Buffer.from(error.message);
  },
  errorEvent: (error) => Buffer.from(error.message),
});

function withErrorCode(client: Client, state: HandlingState): Client {
  const head = client.head.bind(client);
  client.head = (status, headers, isAlone) => {
    head(status, state.error === undefined ? headers : [...headers, 'x-code', state.error.code], isAlone);
  };
  return client;
}

function arrivalOf(req: IncomingMessage, endpoint: Endpoint, arrivedAt: number): RequestHead {
  const [path = '', query = ''] = splitOnce(req.url ?? '/');
  return {
    id: 'req_1',
    endpoint,
    method: req.method ?? 'GET',
    path,
    pathModel: undefined,
    params: {},
    query,
    headers: new RequestHeaderBag(req, bagNames),
    at: Date.now(),
    arrivedAt,
    peer: undefined,
    random: 0.5,
    traceId: '0'.repeat(32),
    metadata: {},
    warnings: undefined,
  };
}

function splitOnce(url: string): readonly string[] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url] : [url.slice(0, mark), url.slice(mark + 1)];
}

function resultOf(record: LogRecord, { error, status, isSpent }: HandlingState): PassResult {
  const last = record.attempts.at(-1);
  const headSent = last?.outcome === 'answered';
  return {
    kind: kindOf(record, headSent),
    error: error ?? (record.error as Partial<GatewayError> | null) ?? undefined,
    status: last?.status ?? status ?? error?.status,
    headSent,
    bodySent: isSpent,
    isUnread: record.attempts.some(({ reason }) => reason?.startsWith('the keep-alive connection was closed') === true),
    bytesIn: record.bytes.in,
    bytesOut: record.bytes.out,
    close: record.socket?.close,
    frames: record.socket?.frames,
  };
}

function kindOf({ end, error }: LogRecord, headSent: boolean): PassResult['kind'] {
  if (end === 'client_gone' || end === 'whole') return end;
  const code = error?.code ?? '';
  if (end === 'drained' || code === 'stream_interrupted') return 'interrupted';
  if (code === 'timeout' || code === 'idle_timeout') return 'timeout';
  if (code === 'upstream_unreachable' || code === 'upstream_invalid') return 'unreachable';
  return headSent ? 'whole' : 'refused';
}
