import { didYouMean } from './text/nearest.ts';
import { isErrorStatus } from './http/status.ts';

/** One row of the catalogue. */
export interface CatalogueRow {
  readonly status: number;
  readonly type: string;
  readonly about: string;
  /**
   * Can the same request succeed when it is sent again? Absent: no, and the response has `x-should-retry: false`, which
   * client libraries obey. `by status`: the status and the provider's own code decide.
   */
  readonly retry?: 'yes' | 'by status';
  /** Over soon: seconds after which a retry is worthwhile, sent as `retry-after`. */
  readonly waitS?: number;
}

const invalid = { type: 'invalid_request_error' } as const;
const busy = { type: 'overloaded_error', retry: 'yes', waitS: 1 } as const;

/**
 * Every error a caller can see. One row: adding a code is adding a row, and the docs page is made from it.
 * `status` is the default; some rows are raised with the provider's own status.
 */
export const errorCatalogue = {
  invalid_json: { status: 400, ...invalid, about: 'The request body is not JSON, or not a JSON object.' },
  json_too_complex: { status: 400, ...invalid, about: 'The request body is nested deeper or has more members than server.json allows.' },
  invalid_config: { status: 400, ...invalid, about: 'The config sent with the request is not valid.' },
  invalid_header: { status: 400, ...invalid, about: 'A gateway header has an invalid value.' },
  invalid_metadata: { status: 400, ...invalid, about: 'x-gateway-metadata is not a JSON object of short strings.' },
  invalid_filter: { status: 400, ...invalid, about: 'A filter of the request log is not valid.' },
  invalid_form: { status: 400, ...invalid, about: 'The body is not a complete multipart form.' },
  unexpected_body: { status: 400, ...invalid, about: 'A relayed GET or HEAD request has a body.' },
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
    about: 'A file named by URL could not be downloaded for the provider.',
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
    about: 'The gateway API key has expired, or the secret before its last rotation.',
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
      'The request names a host under which the gateway is not served: another one than this machine where it has no API keys, or one that server.admin.hosts lacks on the admin listener.',
  },
  origin_not_allowed: {
    status: 403,
    type: 'permission_error',
    about:
      'A web page of an origin that is not in server.cors sent the request, and the gateway has no API keys or the request is a preflight. On the admin listener: a page of any other origin, or a change without the header x-gateway-admin.',
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
  record_not_found: { status: 404, ...invalid, about: 'The request log has no such record, or the body is not kept.' },
  revision_not_found: { status: 404, ...invalid, about: 'The gateway has no such earlier configuration.' },
  no_batch_output: { status: 404, ...invalid, about: 'The batch has no output file, or not yet (409).' },
  route_not_found: { status: 404, ...invalid, about: 'The gateway has no such route.' },
  method_not_allowed: { status: 405, ...invalid, about: 'The route does not support this HTTP method.' },
  timeout: { status: 408, type: 'timeout_error', retry: 'yes', about: 'A timeout expired before the provider responded.' },
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
  rate_limited: { status: 429, type: 'rate_limit_error', retry: 'yes', waitS: 1, about: 'Too many requests.' },
  headers_too_large: { status: 431, ...invalid, about: 'The request headers are larger than 64 KB.' },
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
    about: 'The provider could not be reached (DNS, connect, TLS or connection reset).',
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
    about: 'A plugin left out the target, for example because it has failed too often.',
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
    about: 'The provider sent no event in time in the middle of a stream; sent as an event in the stream.',
  },
  // An issuer that failed is asked again after five seconds.
  auth_unavailable: { status: 503, ...busy, waitS: 5, about: 'The public keys to verify tokens are not available at the moment.' },
  log_unavailable: { status: 503, ...busy, about: 'The request log is switched off, cannot be reached, or did not respond in time.' },
  draining: { status: 503, ...busy, about: 'The gateway is shutting down.' },
  overloaded: { status: 503, ...busy, about: 'Too many requests are in progress.' },
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof errorCatalogue;

/** What may be said about an error beside its code. */
export interface ErrorDetails {
  /** What happened, to what; names in quotes; never a stack, a path of the server or a secret. */
  readonly message: string;
  readonly status?: number | undefined;
  /** Can a retry succeed? Where the case is clearer than the code. */
  readonly retry?: boolean | undefined;
  /** The field or header at fault, in the caller's own spelling. */
  readonly param?: string | undefined;
  /** What to do about it, one sentence. */
  readonly hint?: string | undefined;
  readonly source?: 'gateway' | 'provider';
  readonly cause?: unknown;
  /** Names that were looked through, where the hint is to say which there are: `narrowed` leaves those that a caller may use. */
  readonly known?: KnownNames | undefined;
  /** The provider's own code, type and further keys, kept in what the client gets. */
  readonly provider?: ProviderFault | undefined;
  /** The methods that the path has, with status 405. */
  readonly allow?: readonly string[] | undefined;
  /** Seconds until a retry is worthwhile, where that is known better than by the code. */
  readonly waitS?: number | undefined;
}

/** Names that could have been meant. */
export interface KnownNames {
  /** As it was written. */
  readonly asked: string;
  /** What they are, for the hint: `Deployments`. */
  readonly noun: string;
  readonly names: readonly string[];
}

/** What a provider's error body says, read by `Provider.fault`. */
export interface ProviderFault {
  readonly message: string;
  readonly code?: string | number | null;
  readonly type?: string | null;
  readonly param?: string | null;
  /** What the format gives the type of an error inside a stream, which has no status of its own. */
  readonly status?: number | undefined;
  /** Further keys of the provider's error object, kept as they are (for example `innererror`). */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** What to do about it, where the provider's own words don't say: goes into our hint. */
  readonly hint?: string;
  /** How long the body asks to wait, in milliseconds: some services say it there and in no header. */
  readonly retryAfterMs?: number;
  /** The code says that a retry fails too (a quota that is used up), although the status usually passes. */
  readonly isPermanent?: true;
  /** The model wrote, or was given, what its service cannot read: the service itself works. */
  readonly isOfModel?: true;
}

/** The only error class that may reach a caller. Anything else is a bug and becomes `internal`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  /** Can the same request succeed when it is sent again? */
  readonly retry: boolean;
  readonly param: string | undefined;
  readonly hint: string | undefined;
  readonly source: 'gateway' | 'provider';
  readonly provider: ProviderFault | undefined;
  readonly known: KnownNames | undefined;
  /** Value of the `Allow` header, without which no response may have status 405 (RFC 9110 15.5.6). */
  readonly allow: string | undefined;
  /** Seconds, for `retry-after`; undefined where a retry fails too, or nobody knows. */
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
    this.retry = details.retry ?? (row.retry === 'by status' ? mayPass(this.status, details.provider) : row.retry === 'yes');
    this.waitS = this.retry ? (details.waitS ?? row.waitS) : undefined;
  }
}

/** An error that a provider reported, in its own words where no others are given. Its status is 502 where nobody says one. */
export function faultError(provider: ProviderFault, { message = provider.message, status = provider.status } = {}): GatewayError {
  return new GatewayError('provider_error', { message, status, source: 'provider', hint: provider.hint, provider });
}

/** Statuses below 500 after which the same request can succeed. */
const passing: ReadonlySet<number> = new Set([408, 409, 423, 424, 425, 429]);
/** Not implemented, and the version of HTTP. */
const final: ReadonlySet<number> = new Set([501, 505]);

/** Can a request that was answered with this status succeed when it is sent again? */
export function mayPass(status: number, fault?: ProviderFault): boolean {
  return (status >= 500 ? !final.has(status) : passing.has(status)) && fault?.isPermanent !== true;
}

function hintOf({ asked, noun, names }: KnownNames): string | undefined {
  if (names.length === 0) return undefined;
  const shown = `${noun}: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.`;
  return `${didYouMean(asked, names)} ${shown}`.trim();
}

/** The same error with a hint that names only what the caller may use. */
export function narrowed(error: GatewayError, usable: (name: string) => boolean): GatewayError {
  const { code, message, status, retry, param, known } = error;
  if (known === undefined) return error;
  return new GatewayError(code, { message, status, retry, param, known: { ...known, names: known.names.filter(usable) }, cause: error });
}

/**
 * Makes a GatewayError of whatever was thrown. A plugin from outside has its own copy of this class or none,
 * so an error is recognised by a code of the catalogue, not by `instanceof`.
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

/** A defect of the gateway or of a plugin, without a word about it. */
export const defect = (cause?: unknown): GatewayError =>
  new GatewayError('internal', { message: 'The gateway failed on this request.', cause });

/** The body of an error where no dialect writes it, in a form that the libraries of every API read. */
export const plainErrorBody = ({ message, type, code }: GatewayError): string =>
  JSON.stringify({ error: { message, type, code, param: null }, status: 'failure', message });

/** What is next to an error in its body. */
export interface ErrorFacts {
  readonly requestId: string;
  /** Every attempt of the request, when more than nothing was tried. */
  readonly attempts?: readonly AttemptFacts[];
  /** Slug of the provider whose error it is. */
  readonly provider?: string | undefined;
}

export interface AttemptFacts {
  readonly target: string;
  readonly provider: string;
  readonly model: string;
  readonly status: number | null;
  readonly ms: number;
  readonly message: string;
}
