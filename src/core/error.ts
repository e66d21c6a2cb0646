import { didYouMean } from './text/nearest.ts';
import { isErrorStatus } from './http/status.ts';
import { shortList } from './text/wording.ts';

/** One row of the catalogue. */
export interface CatalogueRow {
  readonly status: number;
  readonly type: string;
  readonly about: string;
  /**
   * Whether the same request can succeed when it is sent again. Absent: no, and the response has `x-should-retry:
   * false`, which client libraries obey. `by status`: depends on the status and the provider's own code.
   */
  readonly retry?: 'yes' | 'by status';
  /** For temporary errors: seconds after which a retry is worthwhile, sent as `retry-after`. */
  readonly waitS?: number;
}

const invalid = { type: 'invalid_request_error' } as const;
const busy = { type: 'overloaded_error', retry: 'yes', waitS: 1 } as const;

/**
 * Every error that a client can see, one row per code. The docs page is generated from it. `status` is the default;
 * some errors are raised with the provider's own status.
 */
export const errorCatalogue = {
  invalid_json: { status: 400, ...invalid, about: 'The request body is not JSON, or not a JSON object.' },
  json_too_complex: { status: 400, ...invalid, about: 'The request body is nested deeper or has more members than server.json allows.' },
  invalid_config: { status: 400, ...invalid, about: 'The config sent with the request is not valid.' },
  invalid_header: { status: 400, ...invalid, about: 'A header has an invalid value, or the request is not valid HTTP.' },
  invalid_metadata: { status: 400, ...invalid, about: 'x-gateway-metadata is not a JSON object of short strings.' },
  invalid_filter: { status: 400, ...invalid, about: 'A filter of the request log is not valid.' },
  invalid_form: { status: 400, ...invalid, about: 'The body is not a complete multipart form.' },
  unexpected_body: { status: 400, ...invalid, about: 'A GET or HEAD request that is passed through to a provider has a body.' },
  no_target: { status: 400, ...invalid, about: 'The request names no provider and no config.' },
  missing_virtual_key: { status: 400, ...invalid, about: 'The route needs a virtual key, or a provider named by header or config.' },
  unsupported_parameter: { status: 400, ...invalid, about: 'The chosen provider does not support a parameter of the request.' },
  invalid_type: { status: 400, ...invalid, about: 'A field of the body has the wrong type.' },
  invalid_value: { status: 400, ...invalid, about: 'A field of the body has an invalid value.' },
  missing_required_parameter: { status: 400, ...invalid, about: 'A required field is missing.' },
  object_above_max_properties: { status: 400, ...invalid, about: 'A field has too many key-value pairs.' },
  integer_above_max_value: { status: 400, ...invalid, about: 'A number is too large.' },
  integer_below_min_value: { status: 400, ...invalid, about: 'A number is too small.' },
  string_above_max_length: { status: 400, ...invalid, about: 'A string is too long.' },
  media_fetch_failed: {
    status: 400,
    ...invalid,
    retry: 'by status',
    about: 'The gateway could not download a file at a URL in the request.',
  },
  missing_file_extension: { status: 400, ...invalid, about: 'The media type of a file URL is unknown: its path has no known extension.' },
  missing_api_key: { status: 401, type: 'authentication_error', about: 'Missing gateway API key.' },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    about: 'The gateway API key is unknown, incomplete or revoked, or the token is not valid.',
  },
  expired_api_key: {
    status: 401,
    type: 'authentication_error',
    about: 'The gateway API key has expired, or the overlap after its rotation has ended.',
  },
  sign_in_required: {
    status: 401,
    type: 'authentication_error',
    about: 'The admin API needs a session or an admin token.',
  },
  missing_credential: {
    status: 401,
    type: 'authentication_error',
    about: "The chosen provider needs the caller's own credential, and the request has none.",
  },
  not_allowed: {
    status: 403,
    type: 'permission_error',
    about: 'A rule of the API key, of the provider or of the egress list forbids the request.',
  },
  host_not_allowed: {
    status: 403,
    type: 'permission_error',
    about:
      'The Host header is not allowed. Without API keys, only names of this machine are allowed; on the admin listener, only these and the names in server.admin.hosts.',
  },
  origin_not_allowed: {
    status: 403,
    type: 'permission_error',
    about:
      'A web page of an origin that is not in server.cors sent the request, and the gateway has no API keys or the request is a preflight. On the admin listener: a page of another origin sent the request, or it changes something and has no header x-gateway-admin.',
  },
  config_not_found: { status: 404, ...invalid, about: 'No config has this name.' },
  provider_not_found: { status: 404, ...invalid, about: 'No provider or virtual key has this slug.' },
  prompt_not_found: { status: 404, ...invalid, about: 'No stored prompt has this name, version or label.' },
  model_not_found: { status: 404, ...invalid, about: 'The provider has no model or deployment of this name.' },
  object_not_found: {
    status: 404,
    ...invalid,
    about: 'The provider has isolate: true, and the API key of the request did not create an object with this id.',
  },
  record_not_found: { status: 404, ...invalid, about: 'The request log has no such record, or did not store the body.' },
  revision_not_found: { status: 404, ...invalid, about: 'The gateway has no earlier configuration with this revision.' },
  no_batch_output: { status: 404, ...invalid, about: 'The batch has no output file; with status 409, it does not have one yet.' },
  route_not_found: { status: 404, ...invalid, about: 'The gateway has no such route.' },
  method_not_allowed: { status: 405, ...invalid, about: 'The route does not support this HTTP method.' },
  timeout: {
    status: 408,
    type: 'timeout_error',
    retry: 'yes',
    about: 'A timeout expired before the provider responded; in the admin API, with status 504, before the gateway had a result.',
  },
  budget_exhausted: {
    status: 412,
    type: 'insufficient_quota',
    about: 'The API key or the virtual key has spent its budget for the current day, week or month.',
  },
  body_too_large: {
    status: 413,
    ...invalid,
    about: 'The request body is larger than server.max_body, or an upload than server.max_upload.',
  },
  unsupported_content_encoding: { status: 415, ...invalid, about: 'The gateway does not support the content-encoding of the body.' },
  unsupported_media_type: {
    status: 415,
    ...invalid,
    about: 'The gateway has no API keys, and the body has a content type that any web page could send.',
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    retry: 'yes',
    waitS: 1,
    about:
      'The API key or the virtual key has reached its rate, its tokens or its requests in flight; in the admin API, too many calls or sign-ins.',
  },
  headers_too_large: {
    status: 431,
    ...invalid,
    about: 'The request headers are larger than 64 KB; on the admin listener 32 KB, on the probe listener 16 KB.',
  },
  provider_error: {
    status: 502,
    type: 'upstream_error',
    retry: 'by status',
    about: "The provider returned an error; the status is the provider's own.",
  },
  internal: { status: 500, type: 'internal_error', retry: 'yes', about: 'Internal error of the gateway.' },
  unsupported_endpoint: { status: 400, ...invalid, about: 'The chosen provider does not serve this route.' },
  provider_auth_failed: { status: 502, type: 'upstream_error', about: "The provider rejected the gateway's credential." },
  upstream_unreachable: {
    status: 502,
    type: 'connection_error',
    retry: 'yes',
    about: 'The provider could not be reached (DNS, connect, TLS), or sent no valid response (connection reset, not HTTP).',
  },
  upstream_invalid: {
    status: 502,
    type: 'upstream_error',
    retry: 'yes',
    about: "The provider's response is invalid: HTML, an empty or truncated stream, broken JSON.",
  },
  all_targets_failed: { status: 502, type: 'upstream_error', about: 'Every target of the config failed.' },
  target_skipped: {
    status: 503,
    ...busy,
    about: 'A plugin skipped the target, for example because it has failed too often.',
  },
  stream_interrupted: {
    status: 502,
    type: 'upstream_error',
    retry: 'yes',
    about: "The provider's stream ended early; sent as an event in the stream.",
  },
  idle_timeout: {
    status: 408,
    type: 'timeout_error',
    retry: 'yes',
    about: 'The provider sent no further event of a stream in time; sent as an event in the stream.',
  },
  // Keys are fetched again five seconds after an issuer failed.
  auth_unavailable: { status: 503, ...busy, waitS: 5, about: 'The public keys to verify tokens are not available at the moment.' },
  log_unavailable: { status: 503, ...busy, about: 'The request log is switched off, cannot be reached, or did not respond in time.' },
  draining: { status: 503, ...busy, about: 'The gateway is shutting down.' },
  overloaded: { status: 503, ...busy, about: 'Too many requests are in progress.' },
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Details of an error besides its code. */
export interface ErrorDetails {
  /** What happened, to what; names in quotes. Never contains a stack, a server path or a secret. */
  readonly message: string;
  readonly status?: number | undefined;
  /** Whether a retry can succeed, if this is known better than from the code. */
  readonly retry?: boolean | undefined;
  /** The field or header at fault, as the client spelled it. */
  readonly param?: string | undefined;
  /** What the user should do, one sentence. */
  readonly hint?: string | undefined;
  readonly source?: 'gateway' | 'provider';
  readonly cause?: unknown;
  /** Valid names to list in the hint; `withUsableNames` restricts them to those that the caller may use. */
  readonly known?: KnownNames | undefined;
  /** The provider's own code, type and further keys, which the client receives. */
  readonly provider?: ProviderFault | undefined;
  /** Methods of the path, with status 405. */
  readonly allow?: readonly string[] | undefined;
  /** Seconds until a retry is worthwhile, if this is known better than from the code. */
  readonly waitS?: number | undefined;
}

/** Candidates for a name that was not found. */
export interface KnownNames {
  /** The name as written. */
  readonly requested: string;
  /** Plural noun for the hint, such as `Deployments`. */
  readonly noun: string;
  readonly names: readonly string[];
}

/** Content of a provider's error body, as parsed by `Provider.fault`. */
export interface ProviderFault {
  readonly message: string;
  readonly code?: string | number | null;
  readonly type?: string | null;
  readonly param?: string | null;
  /** Status that the format defines for the error type, for errors inside a stream, which have no HTTP status. */
  readonly status?: number | undefined;
  /** Further keys of the provider's error object, unchanged (for example `innererror`). */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** A hint, if the provider's message contains none. */
  readonly hint?: string;
  /** Retry delay from the body, in milliseconds: some services send it there and in no header. */
  readonly retryAfterMs?: number;
  /** The code shows that a retry also fails (such as a used-up quota), although the status is usually temporary. */
  readonly isPermanent?: true;
  /** The request continues what this account does not have: a stored object, or reasoning that another account has encrypted. */
  readonly isOfOtherAccount?: true;
  /** The service cannot parse the model's input or output; the service itself works. */
  readonly isOfModel?: true;
  /** The event of a stream that contains the error is not an error event of its format, so that clients ignore the error. */
  readonly isUnmarked?: true;
}

/** The only error class that clients may see. Any other error is a defect and becomes `internal`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  /** Whether the same request can succeed when it is sent again. */
  readonly retry: boolean;
  readonly param: string | undefined;
  readonly hint: string | undefined;
  readonly source: 'gateway' | 'provider';
  readonly provider: ProviderFault | undefined;
  readonly known: KnownNames | undefined;
  /** Value of the `Allow` header, which a response with status 405 must have (RFC 9110 15.5.6). */
  readonly allow: string | undefined;
  /** Seconds for `retry-after`; undefined if a retry also fails, or the time is unknown. */
  readonly waitS: number | undefined;

  constructor(code: ErrorCode, details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    const row: CatalogueRow = errorCatalogue[code];
    this.code = code;
    this.status = details.status ?? row.status;
    this.type = row.type;
    this.param = details.param;
    this.known = details.known;
    this.hint = details.hint ?? (details.known === undefined ? undefined : hintOf(details.known));
    this.source = details.source ?? 'gateway';
    this.provider = details.provider;
    this.allow = details.allow?.join(', ');
    this.retry = details.retry ?? (row.retry === 'by status' ? isRetryable(this.status, details.provider) : row.retry === 'yes');
    this.waitS = this.retry ? (details.waitS ?? row.waitS) : undefined;
  }
}

/** Creates the error for a provider's fault, with its message by default. The status is 502 if none is given. */
export function faultError(provider: ProviderFault, { message = provider.message, status = provider.status } = {}): GatewayError {
  return new GatewayError('provider_error', { message, status, source: 'provider', hint: provider.hint, provider });
}

/** Statuses below 500 that are temporary. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 409, 423, 424, 425, 429]);
/** Permanent statuses from 500: Not Implemented and HTTP Version Not Supported. */
const permanentStatuses: ReadonlySet<number> = new Set([501, 505]);

/** True if a request with this response status can succeed when it is sent again. */
export function isRetryable(status: number, fault?: ProviderFault): boolean {
  return (status >= 500 ? !permanentStatuses.has(status) : temporaryStatuses.has(status)) && fault?.isPermanent !== true;
}

function hintOf({ requested, noun, names }: KnownNames): string | undefined {
  if (names.length === 0) return undefined;
  const shown = `${noun}: ${shortList(names, 20)}.`;
  return `${didYouMean(requested, names)} ${shown}`.trim();
}

/** Returns the error with a hint that lists only names that the caller may use. */
export function withUsableNames(error: GatewayError, usable: (name: string) => boolean): GatewayError {
  const { code, message, status, retry, param, known } = error;
  if (known === undefined) return error;
  return new GatewayError(code, { message, status, retry, param, known: { ...known, names: known.names.filter(usable) }, cause: error });
}

/**
 * Converts any thrown value to a GatewayError. An external plugin may have its own copy of this class, so errors are
 * recognized by a code of the catalogue, not by `instanceof`.
 */
export function fromUnknown(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && Object.hasOwn(errorCatalogue, thrown.code)) {
    const { status, param, hint } = thrown as { status?: unknown; param?: unknown; hint?: unknown };
    return new GatewayError(thrown.code as ErrorCode, {
      message: thrown.message,
      status: isErrorStatus(status) ? status : undefined,
      param: typeof param === 'string' ? param : undefined,
      hint: typeof hint === 'string' ? hint : undefined,
      cause: thrown,
    });
  }
  return defect(thrown);
}

/** Returns the message of whatever was thrown. */
export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** A defect of the gateway or of a plugin. The message contains no details. */
export const defect = (cause?: unknown): GatewayError =>
  new GatewayError('internal', { message: 'The gateway could not process this request because of an internal error.', cause });

/** Error body where no dialect applies, in a form that the libraries of every API can read. */
export const plainErrorBody = ({ message, type, code }: GatewayError): string =>
  JSON.stringify({ error: { message, type, code, param: null }, status: 'failure', message });

/** Data next to an error in its body. */
export interface ErrorFacts {
  readonly requestId: string;
  /** All attempts of the request, if there was any. */
  readonly attempts?: readonly AttemptFacts[];
  /** Slug of the provider that caused the error. */
  readonly provider?: string | undefined;
  /** Number of events before the error, if the stream's format numbers them. */
  readonly eventCount?: number | undefined;
}

export interface AttemptFacts {
  readonly target: string;
  readonly provider: string;
  readonly model: string;
  readonly status: number | null;
  readonly ms: number;
  readonly message: string;
}
