import { sessionEnded } from './session.ts';

/** What the gateway said to a call that failed. `status` 0: it could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;

  constructor(message: string, status: number, code: string, hint: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** A page of another origin can't set it without asking first, and the gateway says no. */
const ownHeader = { 'x-gateway-admin': '1' };

type Parameters = Readonly<Record<string, string | number | undefined>>;

export const addressOf = (path: string, parameters: Parameters = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
};

/** @throws ApiError */
export async function get<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  const response = await call(addressOf(path, parameters), { signal: signal ?? null });
  return (await response.json()) as T;
}

/** @throws ApiError */
export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const headers = { ...ownHeader, 'content-type': 'application/json' };
  return read<T>(await call(path, { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null }));
}

/** @throws ApiError */
export async function remove<T>(path: string): Promise<T> {
  return read<T>(await call(path, { method: 'DELETE', headers: ownHeader }));
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  return (text === '' ? undefined : await new Response(text).json()) as T;
}

/** The bytes of a body. @throws ApiError */
export async function getBytes(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Uint8Array> {
  const response = await call(addressOf(path, parameters), { signal: signal ?? null });
  return new Uint8Array(await response.arrayBuffer());
}

async function call(address: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError('The gateway can’t be reached.', 0, 'unreachable', 'Is it running? The page tries again by itself.');
  }
  if (response.ok) return response;
  const error = await errorOf(response);
  if (response.status === 401 && !address.startsWith('/api/session')) sessionEnded();
  throw error;
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string;
    readonly code?: string;
    readonly gateway?: { readonly hint?: string };
  };
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { message, code, gateway } = body.error ?? {};
  return new ApiError(
    message ?? `The gateway responded with ${response.status}.`,
    response.status,
    code ?? 'unknown',
    gateway?.hint ?? null,
  );
}
