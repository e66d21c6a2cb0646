import type { IncomingMessage, RequestOptions } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardHeader } from '../admin/http/guard.ts';
import type { ErrorCode } from '../core/error.ts';
import { isJsonObject, type JsonObject } from '../core/json/merge.ts';
import { parseJson } from '../core/json/scan.ts';
import { errorCode } from '../core/text/error-code.ts';
import { printable } from '../core/text/printable.ts';
import { CommandError, exitCodes } from './command.ts';
import type { CliIo } from './io.ts';
import { type AdminFlags, type AdminTarget, adminTarget } from './admin/target.ts';
import { request as requestHttp } from '../core/node-http.ts';
import { withoutFullStop } from '../core/text/wording.ts';
import { connectionReasons } from './text.ts';

/**
 * Client of a running gateway's admin API. Each method throws a CommandError: 4 if no gateway responds, 5 if not
 * allowed, 1 for other errors.
 */
export interface AdminClient {
  /** Address of the gateway, for messages. */
  readonly shown: string;
  /** Fetches JSON. `T` is the response type of the admin API. */
  get<T>(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<T>;
  /** @param timeoutMs time limit of the response in milliseconds; default 60 s */
  post<T>(path: string, body?: object, timeoutMs?: number): Promise<T>;
  bytes(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<Buffer>;
  /** Server-sent events, until the signal aborts or the connection ends. */
  events(path: string, query: Readonly<Record<string, string | undefined>>, options: EventOptions): AsyncIterable<AdminEvent>;
}

export interface EventOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time without data after which the gateway counts as unreachable, in milliseconds; default 60 s. It sends a beat every 15 s. */
  readonly silenceMs?: number | undefined;
}

export interface AdminEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Largest response, in bytes. */
const maxBytes = 256 * 1024 * 1024;
/** Longest event, in characters. */
const maxEventLength = 16 * 1024 * 1024;
const defaultTimeoutMs = 60_000;
/** Longest wait for the admin API's rate limit, in seconds. Only the limit for wrong tokens asks for more. */
const maxWaitS = 11;
const maxWaits = 5;

/**
 * Creates the client without connecting.
 * @throws CommandError
 */
export function adminClient(flags: AdminFlags, io: Pick<CliIo, 'env' | 'cwd' | 'onGateway'>): AdminClient {
  const client = new HttpClient(adminTarget(flags, io));
  io.onGateway?.(client);
  return client;
}

class HttpClient implements AdminClient {
  readonly shown: string;
  readonly #target: AdminTarget;

  constructor(target: AdminTarget) {
    this.#target = target;
    this.shown = target.shown;
  }

  async get<T>(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): Promise<T> {
    return this.#json(await this.#send('GET', path + queryText(query))) as T;
  }

  async post<T>(path: string, body: object = {}, timeoutMs = defaultTimeoutMs): Promise<T> {
    return this.#json(await this.#send('POST', path, JSON.stringify(body), timeoutMs)) as T;
  }

  bytes(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): Promise<Buffer> {
    return this.#send('GET', path + queryText(query));
  }

  async *events(path: string, query: Readonly<Record<string, string | undefined>>, options: EventOptions): AsyncIterable<AdminEvent> {
    const { signal, silenceMs = defaultTimeoutMs } = options;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    let hasBegun = false;
    try {
      const response = await this.#request('GET', path + queryText(query), {
        headers: { accept: 'text/event-stream' },
        signal: AbortSignal.any([silence.signal, ...(signal === undefined ? [] : [signal])]),
      });
      if (response.statusCode !== 200) throw this.#toCommandError(response, await bytesOf(response));
      if (response.headers['content-type']?.startsWith('text/event-stream') !== true) throw this.#otherProgram('sent no events');
      hasBegun = true;
      for await (const block of blocksIn(response, () => void timer.refresh())) {
        if (block === undefined) throw this.#otherProgram('sent an event that is too long');
        const event = eventOf(block);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      if (signal?.aborted === true) return;
      if (silence.signal.aborted) throw new CommandError(exitCodes.unreachable, `${this.shown} sent nothing for ${silenceMs / 1000} s`);
      if (!hasBegun || error instanceof CommandError) throw this.#toUnreachable(error);
    } finally {
      clearTimeout(timer);
    }
    throw new CommandError(exitCodes.unreachable, `the gateway at ${this.shown} closed the connection`, 'It has stopped or is restarting.');
  }

  #json(bytes: Buffer): unknown {
    try {
      return parseJson(bytes.toString('utf8'), { depth: 200, members: 10_000_000 });
    } catch {
      throw this.#otherProgram('sent no JSON');
    }
  }

  /** Hint when the configuration could not be read completely. */
  #unreadHint(what: string, otherwise: string): string | undefined {
    const { fault } = this.#target;
    return fault === undefined ? undefined : `The ${what} may be in what could not be read (${printable(fault)}): ${otherwise}`;
  }

  #tokenHint(): string {
    if (!this.#target.hasConfig)
      return 'There is no gateway.yaml here: run the command in the folder of the gateway, name its file with -c, or set $GATEWAY_ADMIN_TOKEN. A gateway without a file has no token for commands: run gateway init and start it again.';
    return (
      this.#unreadHint('state directory', 'set $GATEWAY_ADMIN_TOKEN.') ??
      'Set $GATEWAY_ADMIN_TOKEN, or run the command where gateway.yaml and its state directory can be read (-c sets the file).'
    );
  }

  #otherProgram(what: string): CommandError {
    return new CommandError(exitCodes.unreachable, `${this.shown} ${what}: it may be another program`);
  }

  /** Sends a request and waits if it is rate limited: a rejected call had no effect, and some commands make many calls. */
  async #send(method: string, path: string, body?: string, timeoutMs = defaultTimeoutMs): Promise<Buffer> {
    for (let waits = 0; ; waits += 1) {
      const result = await this.#sendOnce(method, path, body, timeoutMs, waits < maxWaits);
      if (!('waitS' in result)) return result;
      await sleep(result.waitS * 1000);
    }
  }

  async #sendOnce(
    method: string,
    path: string,
    body: string | undefined,
    timeoutMs: number,
    mayWait: boolean,
  ): Promise<Buffer | { readonly waitS: number }> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.#request(method, path, { body, signal, headers: {} });
      const bytes = await bytesOf(response);
      const waitS = response.statusCode === 429 ? Number(response.headers['retry-after']) : Number.NaN;
      if (mayWait && waitS <= maxWaitS) return { waitS };
      if (response.statusCode === undefined || response.statusCode >= 300) throw this.#toCommandError(response, bytes);
      return bytes;
    } catch (error) {
      if (signal.aborted) throw new CommandError(exitCodes.unreachable, `${this.shown} did not respond within ${timeoutMs / 1000} s`);
      throw this.#toUnreachable(error);
    }
  }

  async #request(
    method: string,
    path: string,
    { body, signal, headers }: { body?: string | undefined; signal?: AbortSignal | undefined; headers: Readonly<Record<string, string>> },
  ): Promise<IncomingMessage> {
    const { address, isTls, token } = this.#target;
    const options: RequestOptions = {
      ...address,
      path,
      method,
      agent: false,
      ...(signal === undefined ? {} : { signal }),
      headers: {
        accept: 'application/json',
        connection: 'close',
        [guardHeader]: '1',
        // A Unix socket has no host name. The gateway expects one of the local machine.
        ...('socketPath' in address ? { host: 'localhost' } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    };
    const send = isTls ? (await import('node:https')).request : requestHttp;
    return new Promise((resolve, reject) => {
      const request = send(options, resolve);
      request.on('error', reject);
      request.end(body);
    });
  }

  #toUnreachable(error: unknown): unknown {
    if (error instanceof CommandError) return error;
    const code = errorCode(error);
    const why = connectionReasons[code] ?? (error instanceof Error && error.message !== '' ? error.message : code);
    return new CommandError(
      exitCodes.unreachable,
      `no gateway at ${this.shown}: ${why}`,
      this.#unreadHint('address', 'set its address with --admin or $GATEWAY_ADMIN.') ??
        'Start it with gateway start, or set the address of its admin listener with --admin or $GATEWAY_ADMIN.',
    );
  }

  #toCommandError({ statusCode: status = 0, headers }: IncomingMessage, bytes: Buffer): CommandError {
    const error = errorIn(bytes);
    if (error === undefined) return this.#otherProgram(`responded with status ${status}`);
    // Only responses of the data listener have a request id.
    if (headers['x-request-id'] !== undefined)
      return new CommandError(
        exitCodes.unreachable,
        `${this.shown} is the listener for clients, not the admin listener`,
        'Use the address of server.admin.listen, which gateway start prints as "dashboard".',
      );
    const message = withoutFullStop(printable(error.message));
    if (status === 401 && this.#target.token === undefined)
      return new CommandError(exitCodes.forbidden, `${this.shown} requires an admin token`, this.#tokenHint());
    if (status === 401) return new CommandError(exitCodes.forbidden, message, printable(error.hint ?? ''));
    const code = status === 403 ? exitCodes.forbidden : usageErrors.has(error.code) ? exitCodes.usage : exitCodes.no;
    return new CommandError(code, message, error.hint === undefined ? undefined : printable(error.hint), error.code);
  }
}

/** Codes that mean a wrong or missing argument of the command. */
const usageErrors: ReadonlySet<string> = new Set(['invalid_filter', 'invalid_value', 'missing_required_parameter'] satisfies ErrorCode[]);

function queryText(query: Readonly<Record<string, string | number | undefined>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

function errorIn(bytes: Buffer): { readonly code: string; readonly message: string; readonly hint: string | undefined } | undefined {
  let body: unknown;
  try {
    body = parseJson(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : ({} as JsonObject);
  const { code, message, gateway } = error;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  const hint = isJsonObject(gateway) ? gateway['hint'] : undefined;
  return { code, message, hint: typeof hint === 'string' ? hint : undefined };
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw new CommandError(exitCodes.no, 'the response is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Texts of events in the form that the gateway writes: lines end in `\n`. Undefined, at the end, for one that is too long. */
async function* blocksIn(response: IncomingMessage, onData: () => void): AsyncIterable<string | undefined> {
  response.setEncoding('utf8');
  let pieces: string[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<string>) {
    onData();
    const last = pieces.at(-1) ?? '';
    pieces.push(piece);
    length += piece.length;
    if (`${last.slice(-1)}${piece}`.includes('\n\n')) {
      const blocks = pieces.join('').split('\n\n');
      const rest = blocks.pop() ?? '';
      yield* blocks;
      pieces = [rest];
      ({ length } = rest);
    }
    if (length > maxEventLength) {
      yield undefined;
      return;
    }
  }
}

function eventOf(block: string): AdminEvent | undefined {
  let event = 'message';
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
  }
  return data.length === 0 ? undefined : { event, id, data: data.join('\n') };
}
