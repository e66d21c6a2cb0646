import type { Schedule } from '../../core/async/schedule.ts';
import type { MemoryBudget } from '../../core/memory/budget.ts';
import type { Clock } from '../../core/context.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { type HeaderPairs, joinHeaders } from '../../core/http/headers.ts';
import { emptyBody } from '../../core/json/body.ts';
import { type Attempt, type Outcome, type Send, type Sending, timesNotSent } from '../../core/plan.ts';
import type { LocalAnswer, Translation, UpstreamRequest } from '../../core/provider.ts';
import { secretsOf } from '../../core/secrets/redactor.ts';
import type { Trust } from '../../core/snapshot.ts';
import { HttpExchange } from './exchange/exchange.ts';
import type { ExchangeSettings } from './exchange/settings.ts';
import { isStreamedBody, type Upload } from './exchange/upload.ts';
import { type CrashAwareReceiver, Guarded } from './guarded.ts';
import { playLocalResponse } from './local-response.ts';
import { overload, type Sweeper, type Sweepable } from '../wire/sweeper.ts';
import type { Route } from './pools.ts';
import type { Egress } from './egress/egress.ts';
import type { WireRequest } from '../wire/request.ts';
import { WebSocketExchange } from './websocket/exchange.ts';

/** The egress rules, of which only connections of WebSockets need `lookup` and `proxy`. */
type SenderEgress = Pick<Egress, 'check'> & Partial<Egress>;

export interface SenderDeps {
  readonly upstream: { send(request: WireRequest, route: Route, receiver: CrashAwareReceiver): void };
  readonly sweeper: Sweeper;
  readonly clock: Clock;
  /** Waits for the pauses of responses without a network. */
  readonly schedule: Schedule;
  readonly egress: SenderEgress;
  /** Called with the number of forwarded bytes of files. */
  passed(bytes: number): void;
  /** Called each time a response contains the credential of its attempt. */
  onEcho(attempt: Attempt): void;
  /** Maximum bytes of a response that the record keeps. */
  maxRecorded(): number;
  /** Maximum size of a response that is neither a stream nor a file, in bytes. */
  maxResponse(): number;
  readonly budget: MemoryBudget;
  /** Maximum attempts in progress. Further ones are rejected with `overloaded`. */
  maxInFlight(): number;
}

/** Creates the function that performs attempts: signs the request, checks the egress rules, sends it, and applies the timeouts. */
export function createSender(deps: SenderDeps): Send {
  // Origins written by the operator are checked once, not for each request.
  const trusted = new Set<string>();
  const checkEgress = (origin: string, trust: Trust): GatewayError | undefined => {
    if (trust === 'operator' && trusted.has(origin)) return undefined;
    const refusal = deps.egress.check(origin, trust);
    if (refusal === undefined && trust === 'operator') trusted.add(origin);
    return refusal;
  };
  const over = (exchange: Sweepable): void => deps.sweeper.delete(exchange);
  return (attempt, arrivedAt): Sending => {
    const refusal = preflightFault(attempt, deps, checkEgress);
    if (refusal !== undefined) {
      const times = timesNotSent(deps.clock.monotonic() - arrivedAt);
      return { outcome: Promise.resolve({ kind: 'refused', attempt, times, error: refusal }), cancel: () => {} };
    }
    let exchange: AttemptExchange | undefined;
    const outcome = new Promise<Outcome>((settle) => {
      const { clock, passed, onEcho, budget } = deps;
      const { monotonic } = clock;
      const settings = {
        monotonic,
        passed,
        onEcho,
        maxRecorded: deps.maxRecorded(),
        maxResponse: deps.maxResponse(),
        budget,
        arrivedAt,
        settle,
        over,
      };
      const first: SignedHeaders = { headers: none };
      const settleOrRepeat = (settled: Outcome): void => {
        if (!mayRepeat(settled, first)) settle(settled);
        else exchange = begin(attempt, deps, { ...settings, begunAt: settled.times.at + arrivedAt }, { headers: none });
      };
      exchange = begin(attempt, deps, attempt.credential?.evict === undefined ? settings : { ...settings, settle: settleOrRepeat }, first);
    });
    return { outcome, cancel: () => exchange?.abort() };
  };
}

function preflightFault(attempt: Attempt, deps: SenderDeps, checkEgress: Egress['check']): GatewayError | undefined {
  const { upstream, translation, call } = attempt;
  if (upstream === undefined || translation === undefined || call === undefined) {
    return new GatewayError('internal', {
      message: 'No plugin prepared the upstream request.',
      hint: 'The chain needs a plugin that makes upstream requests.',
    });
  }
  const overloaded = overload(deps.sweeper, deps.maxInFlight());
  if (overloaded !== undefined) return overloaded;
  return translation.local === undefined ? checkEgress(upstream.origin, attempt.trust) : undefined;
}

const none: HeaderPairs = Object.freeze([] as string[]) as HeaderPairs;

/** The headers that sign an attempt, once they are known. */
interface SignedHeaders {
  headers: HeaderPairs;
}

/** If the provider rejects a fetched token, which may have been revoked early, or a time, repeats the request once with another. */
function mayRepeat(outcome: Outcome, signed: SignedHeaders): boolean {
  if (!isRefused(outcome)) return false;
  // Also if this request cannot be repeated, so that the next request does not use the same token.
  const body = outcome.kind === 'answered' ? outcome.reply.body : undefined;
  const hasNewToken = outcome.attempt.credential?.evict?.(signed.headers, body) === true;
  return hasNewToken && !isBodySpent(outcome.attempt);
}

function isRefused(outcome: Outcome): boolean {
  if (outcome.kind !== 'answered' || outcome.reply.status < 400) return false;
  const { status, body } = outcome.reply;
  return status === 401 || outcome.attempt.credential?.isRefused?.(status, body) === true;
}

type AttemptExchange = HttpExchange | WebSocketExchange;

function begin(attempt: Attempt, deps: SenderDeps, settings: ExchangeSettings, signed: SignedHeaders): AttemptExchange {
  const body = attempt.upstream?.body;
  const exchange =
    body?.kind === 'socket'
      ? new WebSocketExchange(attempt, body, {
          ...settings,
          lookup: deps.egress.lookup?.(attempt.trust),
          proxy: deps.egress.proxy?.(attempt.trust),
        })
      : new HttpExchange(attempt, (attempt as Prepared).translation.tap, settings);
  deps.sweeper.add(exchange);
  try {
    if (exchange instanceof WebSocketExchange) dial(exchange, attempt as Prepared, signed);
    else sendHttp(exchange, attempt as Prepared, deps, signed);
  } catch (thrown) {
    exchange.crashed(thrown);
  }
  return exchange;
}

function sendHttp(exchange: HttpExchange, attempt: Prepared, deps: SenderDeps, signed: SignedHeaders): void {
  const { upstream, call } = attempt;
  const { body } = upstream;
  if (isStreamedBody(body) && !exchange.openUpload(body)) return;
  const local = localAnswerOf(attempt);
  if (local !== undefined) {
    playLocal(exchange, local, deps.schedule);
    return;
  }
  // Creating, cancelling or deleting an object must not be repeated: there would be two objects, or an error.
  // A later step cannot be repeated alone, and a repeat must not use another dead connection.
  const isObject = upstream.method !== 'GET' && traitsOf(call.endpoint).state !== undefined;
  const isOnce = isObject || attempt.isRepeat === true || attempt.isFollowUp === true;
  const route = { trust: attempt.trust, connectMs: attempt.timeouts.connect, isOnce };
  sign(exchange, attempt, signed, (headers) =>
    deps.upstream.send(withHeaders(upstream, headers, exchange.upload), route, new Guarded(exchange)),
  );
}

function dial(exchange: WebSocketExchange, attempt: Prepared, signed: SignedHeaders): void {
  const { origin, path, headers: attemptHeaders } = attempt.upstream;
  sign(exchange, attempt, signed, (headers) => exchange.dial(origin, path, joinHeaders(attemptHeaders, headers)));
}

/** Continues with the headers that sign the attempt, synchronously if they are known. */
function sign(exchange: AttemptExchange, attempt: Prepared, signed: SignedHeaders, next: (headers: HeaderPairs) => void): void {
  const send = (headers: HeaderPairs): void => {
    signed.headers = headers;
    exchange.setSecrets(secretsOf(attempt, headers));
    next(headers);
  };
  const headers = attempt.credential?.headers(attempt.upstream) ?? none;
  if (!(headers instanceof Promise)) {
    send(headers);
    return;
  }
  exchange.signingStarted();
  headers
    .then((fetched) => {
      if (exchange.signingFinished()) send(fetched);
    })
    .catch((error: unknown) => exchange.refuse(error));
}

/** Makes the response of an attempt that needs no network: what a plugin has for it, or else the provider. */
function localAnswerOf({ interception, translation, upstream }: Prepared): (() => LocalAnswer) | undefined {
  const kept = interception?.answer;
  if (kept !== undefined) return () => kept;
  return translation.local === undefined ? undefined : () => (translation as Local).local(upstream);
}

type Local = Translation & Required<Pick<Translation, 'local'>>;

/** A form is still read to its end, so that all its fields are known. */
function playLocal(exchange: HttpExchange, answer: () => LocalAnswer, later: Schedule): void {
  if (exchange.upload === undefined) {
    playLocalResponse(answer(), new Guarded(exchange), later);
    return;
  }
  exchange.signingStarted();
  exchange.upload
    .drain()
    .then(() => {
      if (exchange.signingFinished()) playLocalResponse(answer(), new Guarded(exchange), later);
    })
    .catch((error: unknown) => exchange.refuse(error));
}

type Prepared = Attempt & { upstream: UpstreamRequest; translation: Translation; call: NonNullable<Attempt['call']> };

function withHeaders(request: UpstreamRequest, headers: HeaderPairs, upload: Upload | undefined): WireRequest {
  const { body } = request;
  if (isStreamedBody(body)) {
    if (upload === undefined) throw new Error('a body was not opened');
    const all = body.kind === 'passing' ? joinHeaders(request.headers, headers) : [...request.headers, ...headers];
    return { ...request, body: upload.length === 0 ? emptyBody : upload, headers: [...all, ...framing(request.headers, upload)] };
  }
  if (body.kind === 'socket') throw new Error('a WebSocket has no body');
  const { origin, path, method } = request;
  return { origin, path, method, body, headers: headers.length === 0 ? request.headers : request.headers.concat(headers) };
}

/** Default Content-Type of a body, and its Content-Length if known. */
function framing(own: HeaderPairs, { contentType, length }: Upload): HeaderPairs {
  const pairs: HeaderPairs = [];
  if (contentType !== '' && !own.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type'))
    pairs.push('content-type', contentType);
  if (length !== undefined && length > 0) pairs.push('content-length', length.toString());
  return pairs;
}

/** Called when bytes that are not buffered were sent. */
function isBodySpent({ upstream }: Attempt): boolean {
  const body = upstream?.body;
  if (body?.kind === 'passing') return body.isSpent;
  return (body?.kind === 'form' || body?.kind === 'file') && body.form.isSpent;
}
