import { markUnreachable, markReachable } from './gateway-state.ts';
import { markSessionEnded, rejectedCalls } from './session.ts';

/** The error response to a call. `status` 0: the gateway could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  /** The member of the body that is wrong, such as `limits.rate`. */
  readonly param: string | null;

  constructor(message: string, status: number, code: string, hint: string | null = null, param: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.param = param;
  }
}

/** A page of another origin cannot set this header without a CORS preflight, which the gateway rejects. */
const adminHeader = { 'x-gateway-admin': '1' };

type Parameters = Readonly<Record<string, string | number | undefined>>;

export const addressOf = (path: string, parameters: Parameters = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
};

/** @throws ApiError */
export const get = <T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> =>
  readJson<T>(addressOf(path, parameters), { signal: signal ?? null });

/** @throws ApiError */
export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const headers = { ...adminHeader, 'content-type': 'application/json' };
  return readJson<T>(path, { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null });
}

/** @throws ApiError */
export const remove = <T>(path: string): Promise<T> => readJson<T>(path, { method: 'DELETE', headers: adminHeader });

async function readJson<T>(address: string, init: RequestInit): Promise<T> {
  const response = await call(address, init);
  const text = await response.text().catch((error: unknown) => connectionLost(error, init));
  const value: unknown = await new Response(text).json().catch(() => undefined);
  // Every response of the gateway is an object or a list.
  if (typeof value === 'object' && value !== null) return value as T;
  throw new ApiError(
    'This response is not from the gateway.',
    response.status,
    'no_json',
    'A proxy may ask for a sign-in: reload the page.',
  );
}

/** Handles a connection that failed or broke. @throws ApiError, or the abort reason if the page aborted the call */
function connectionLost(error: unknown, { signal, method }: RequestInit): never {
  if (signal?.aborted === true) throw error;
  throw unreachableError(method);
}

function unreachableError(method: string | undefined): ApiError {
  markUnreachable();
  // Only reads are repeated.
  const hint = method === undefined ? 'Is it running? The page retries automatically.' : 'Is it running?';
  return new ApiError('The gateway can’t be reached.', 0, 'unreachable', hint);
}

/** The bytes of a body. @throws ApiError */
export async function getBytes(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Uint8Array> {
  const init = { signal: signal ?? null };
  const response = await call(addressOf(path, parameters), init);
  return new Uint8Array(await response.arrayBuffer().catch((error: unknown) => connectionLost(error, init)));
}

/** For a response whose body is not a gateway error. */
const noCode = 'unknown';
/** Statuses with which a proxy responds if the gateway is unreachable. */
const proxyErrorStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** The error with which the gateway rejects a stream of events; undefined if it accepts it. The browser does not tell a page the reason. */
export async function rejectionOf(address: string): Promise<ApiError | undefined> {
  const abort = new AbortController();
  try {
    await call(address, { signal: abort.signal });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  } finally {
    abort.abort();
  }
}

/** Milliseconds after which a read without a response counts as failed. The gateway responds earlier, if only with an error. */
const readTimeoutMs = 45_000;

/** Like `fetch`. A network that drops all packets, as after a change of networks, would report no error for minutes. */
async function fetchResponse(address: string, init: RequestInit): Promise<Response> {
  const { signal, method } = init;
  if (method !== undefined) return fetch(address, init);
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, readTimeoutMs);
  return fetch(address, { ...init, signal: abort.signal }).finally(() => clearTimeout(timer));
}

async function call(address: string, init: RequestInit): Promise<Response> {
  const response = await fetchResponse(address, { credentials: 'same-origin', ...init }).catch((error: unknown) =>
    connectionLost(error, init),
  );
  const error = response.ok ? undefined : await errorOf(response);
  if (error?.code === noCode && proxyErrorStatuses.has(response.status)) throw unreachableError(init.method);
  markReachable(response.headers.get('date'));
  if (error === undefined) return response;
  if (response.status === 401 && !address.startsWith('/api/session')) markSessionEnded();
  if (error.code === 'not_allowed') rejectedCalls.value += 1;
  throw error;
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string;
    readonly code?: string;
    readonly param?: string | null;
    readonly gateway?: { readonly hint?: string };
  };
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { message, code, param, gateway } = body.error ?? {};
  const text = message ?? `The gateway responded with ${response.status}.`;
  return new ApiError(text, response.status, code ?? noCode, gateway?.hint ?? null, param ?? null);
}
