import { tryParseObject } from '../../../core/json/scan.ts';
import { type GatewayError, isRetryable } from '../../../core/error.ts';
import type { GrantBlame, GrantRepeat } from '../../../core/secrets/grant.ts';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { type SecretVariants, secretVariants } from '../../../core/secrets/redactor.ts';
import type { Trust } from '../../../core/snapshot.ts';
import { type FetchedResponse, FetchFault, fetchResponse } from '../../outbound/fetch-response.ts';
import { type Token, TokenError } from '../token-source.ts';
import type { Upstream } from '../../outbound/upstream.ts';
import type { WireRequest } from '../../wire/request.ts';

export interface GrantDeps {
  readonly upstream: Upstream;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
  /** Unix milliseconds. */
  now(): number;
  /** Monotonic milliseconds. */
  monotonic(): number;
  /** Resolves after this number of milliseconds. */
  wait(ms: number): Promise<void>;
  /** The environment of the process, which describes the identity of a machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One request for a token. */
export interface TokenRequest {
  readonly url: URL;
  /** Default: POST with a form, otherwise GET. */
  readonly method?: 'PUT';
  /** Sent as POST; without a form the request is a GET. */
  readonly form?: URLSearchParams;
  readonly headers?: HeaderPairs;
  readonly trust: Trust;
  readonly connectMs?: number;
  readonly repeats?: readonly GrantRepeat[];
}

/** A response, and when its request was sent. The lifetime of a token is counted from that time, so that it is never overestimated. */
export interface TokenResponse extends FetchedResponse {
  readonly host: string;
  readonly requestedAt: number;
  /** The request's own credentials, which must not appear in an error message. */
  readonly secrets: SecretVariants | undefined;
}

const limits = { connectMs: 5000, totalMs: 10_000, maxBytes: 64 * 1024 } as const;
/** Assumed lifetime in seconds, if the endpoint reports none or an invalid one. */
const assumedLifetimeS = 300;

/** Parses the URL of a token endpoint. @throws TokenError */
export function tokenUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TokenError('the token endpoint is not an http or https URL');
  return url;
}

/** Sends a token request, with repeats as the grant defines. Redirects are not followed. @throws TokenError */
export async function requestToken(request: TokenRequest, deps: GrantDeps): Promise<TokenResponse> {
  const { url, trust } = request;
  const refusal = deps.checkEgress(url.origin, trust);
  if (refusal !== undefined) throw new TokenError(refusal.message, { cause: refusal });
  for (let repeat = 0; ; repeat += 1) {
    const requestedAt = deps.now();
    const answer = await sendOnce(request, deps.upstream);
    const rule = request.repeats?.find(({ statuses }) => statuses.includes(answer.status));
    const wait = rule?.waitsMs[repeat];
    if (wait === undefined)
      return { ...answer, host: url.host, requestedAt, secrets: secretVariants(request.headers ?? [], credentialsIn(request)) };
    await deps.wait(wait);
  }
}

/** The same for an endpoint of this machine. @param missing what the machine does not have if the endpoint does not respond */
export async function requestLocalToken(request: TokenRequest, deps: GrantDeps, endpoint: string, missing: string): Promise<TokenResponse> {
  try {
    return await requestToken(request, deps);
  } catch (error) {
    if (!(error instanceof TokenError) || !(error.cause instanceof FetchFault)) throw error;
    throw new TokenError(`${endpoint} does not respond, so the machine has no ${missing} (${error.message})`, { cause: error });
  }
}

async function sendOnce({ url, method, form, headers = [], trust, connectMs }: TokenRequest, upstream: Upstream): Promise<FetchedResponse> {
  const body = form === undefined ? undefined : Buffer.from(form.toString(), 'latin1');
  const type = body === undefined ? [] : ['content-type', 'application/x-www-form-urlencoded'];
  const wire: WireRequest = {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    origin: url.origin,
    path: url.pathname + url.search,
    headers: [...type, 'accept', 'application/json', ...headers],
    body: body === undefined ? { kind: 'none' } : { kind: 'form', bytes: () => body },
  };
  try {
    return await fetchResponse(upstream, wire, { ...limits, trust, ...(connectMs === undefined ? {} : { connectMs }) });
  } catch (fault) {
    throw new TokenError(`${url.host}: ${fault instanceof FetchFault ? fault.message : 'the request failed'}`, { cause: fault });
  }
}

/** Parses the response of a token endpoint. @throws TokenError with the endpoint's own reasons, and the field at fault */
export function tokenOf(answer: TokenResponse, blames: readonly GrantBlame[] = []): Token {
  const { status, requestedAt } = answer;
  const members = tryParseObject(answer.body.toString('utf8')) ?? {};
  const value = members['access_token'];
  if (status === 200 && typeof value === 'string' && value !== '') {
    // If cached, it would be rejected until it expires.
    if (!/^[\x21-\x7e]+$/.test(value)) throw new TokenError(`${answer.host} returned a token that no header could carry`);
    return { value, ...lifetimeOf(members, requestedAt) };
  }
  const reasons = reasonsIn(members, answer.secrets);
  const message = `${answer.host} returned ${status}: ${reasons === '' ? 'no token, and no reason' : reasons}`;
  // The endpoint is busy or broken: the credential is not at fault, whatever the body says.
  if (isRetryable(status)) throw new TokenError(message);
  const reason = typeof members['error'] === 'string' ? members['error'] : undefined;
  const blame = status === 200 ? undefined : blames.find((one) => matchesBlame(one, status, reasons));
  if (blame === undefined) throw new TokenError(message, { reason });
  throw new TokenError(`${blame.field} ${blame.says} (${message.replace(/\.$/, '')})`, { field: blame.field, reason });
}

const matchesBlame = (blame: GrantBlame, status: number, reasons: string): boolean =>
  (blame.status === undefined || blame.status === status) && (blame.text === undefined || reasons.includes(blame.text));

/**
 * Returns when a token expires. `expires_on` takes precedence: endpoints of machines return cached tokens, whose `expires_in` may
 * count from the original issue. Numbers may be strings, and the time a date.
 */
function lifetimeOf(members: JsonObject, requestedAt: number): Pick<Token, 'expiresAt' | 'renewAt'> {
  const until = timestampIn(members['expires_on']);
  const seconds = Number(members['expires_in']);
  const expiresAt =
    until !== undefined && until > requestedAt
      ? until
      : requestedAt + (seconds > 0 && Number.isFinite(seconds) ? seconds : assumedLifetimeS) * 1000;
  const renewal = Number(members['refresh_in']);
  return { expiresAt, renewAt: renewal > 0 ? requestedAt + renewal * 1000 : undefined };
}

/** Parses a date, or Unix seconds, to Unix milliseconds. */
export function timestampIn(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(String(value));
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}

/** Returns `invalid_client: AADSTS…: <message>`, or the parts that exist. Only first lines, because trace ids follow. */
function reasonsIn(members: JsonObject, secrets: SecretVariants | undefined): string {
  const { error } = members;
  const parts = isJsonObject(error) ? [error['code'], error['message']] : [error, members['error_description'], members['message']];
  return (
    parts
      .filter((part) => typeof part === 'string' && part !== '')
      // Before truncation: a partial secret would not be found.
      .map((part) => (redactSecrets(String(part), secrets).split(/[\r\n]/)[0] ?? '').slice(0, 300))
      .join(': ')
  );
}

/** Removes the request's credentials from a message of the endpoint. */
export function redactSecrets(text: string, secrets: SecretVariants | undefined): string {
  return (secrets?.texts ?? []).reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
}

/** Members of a form that authenticate the client. */
const credentialFields: ReadonlySet<string> = new Set(['client_secret', 'client_assertion', 'assertion', 'WebIdentityToken']);

function credentialsIn({ form }: TokenRequest): string[] {
  return [...(form ?? [])].filter(([name]) => credentialFields.has(name)).map(([, value]) => value);
}
