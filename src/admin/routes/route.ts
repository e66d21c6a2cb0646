import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../core/json/merge.ts';
import { GatewayError } from '../../core/error.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import type { LogReader } from '../../core/logs/reader.ts';
import type { Role } from '../api-types.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { SignInThrottle } from '../auth/sign-in-throttle.ts';
import type { User, Users } from '../auth/users.ts';
import type { Headers } from '../http/reply.ts';
import type { ManagedGateway } from '../managed-gateway.ts';

/** One route of the API. The listener serves the table of all routes, and docs/admin-api.md is generated from it. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Such as `/api/requests/{id}`. */
  readonly path: string;
  /** Minimum role; `anyone`: no sign-in. */
  readonly role: Role | 'anyone';
  /** Description for the docs, one sentence. */
  readonly about: string;
  /** Query parameters and their descriptions. */
  readonly query?: Readonly<Record<string, string>>;
  /** Members of the JSON body and their descriptions. */
  readonly body?: Readonly<Record<string, string>>;
  /** The response: a type of src/admin/api-types.ts or src/core/logs, or a sentence. */
  readonly returns: string;
  /** Timeout in milliseconds; default 30,000. 0: none, for streams. */
  readonly limitMs?: number;
  handle(call: AdminCall): Promise<AdminReply> | AdminReply;
}

export type AdminReply =
  | { readonly json: unknown; readonly status?: number; readonly headers?: Headers }
  /** Sent unchanged: the log reader returns bytes, which are not parsed here. */
  | { readonly bytes: Uint8Array; readonly headers: Headers }
  /** The handler writes the response itself. The promise resolves when it has ended. */
  | { readonly stream: (response: ServerResponse) => Promise<void> };

/** One request to the API. */
export interface AdminCall {
  readonly subject: ManagedGateway;
  readonly access: Access;
  readonly request: IncomingMessage;
  readonly user: User;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Aborted when the connection closes or the timeout expires. */
  readonly signal: AbortSignal;
  body(): Promise<JsonObject>;
}

/** Authentication of admin users. */
export interface Access {
  readonly sessions: Sessions;
  readonly throttle: SignInThrottle;
  /** True if the listener accepts connections only from this machine. */
  readonly isLoopback: boolean;
  users(): Users;
  /**
   * Returns the authenticated user; undefined if there is none. @throws GatewayError `rate_limited`, `sign_in_required`
   * for a wrong token
   */
  userOf(request: IncomingMessage): User | undefined;
  /** The user as currently configured; undefined if the token, link or session is no longer valid. */
  currentUser(user: User): User | undefined;
  readonly cookie: { write(id: string | undefined, request: IncomingMessage): string; read(request: IncomingMessage): string | undefined };
}

/** The request log. @throws GatewayError `log_unavailable` */
export const logsOf = ({ subject }: AdminCall): LogReader => requireLog(subject.logs());

/** @param logs undefined if `logging.requests` is off @throws GatewayError `log_unavailable` */
export function requireLog(logs: LogReader | undefined): LogReader {
  if (logs === undefined)
    throw new GatewayError('log_unavailable', {
      message: 'The request log is switched off.',
      hint: 'Remove logging.requests: off from the configuration, and restart the gateway.',
      retry: false,
    });
  return logs;
}

/** Returns an integer query parameter within bounds. @throws GatewayError `invalid_value` */
export function numberIn(
  query: URLSearchParams,
  name: string,
  defaultValue: number,
  bounds: readonly [least: number, most: number],
): number {
  const text = query.get(name);
  if (text === null || text === '') return defaultValue;
  const value = Number(text);
  if (!Number.isInteger(value) || value < bounds[0] || value > bounds[1])
    throw new GatewayError('invalid_value', { message: `"${name}" is not a whole number from ${bounds[0]} to ${bounds[1]}.`, param: name });
  return value;
}

/** Returns a query parameter that is `true` or `false`. @throws GatewayError `invalid_value` */
export function flagIn(query: URLSearchParams, name: string, defaultValue: boolean): boolean {
  const text = query.get(name) ?? '';
  if (text === '') return defaultValue;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new GatewayError('invalid_value', { message: `"${name}" is neither true nor false.`, param: name });
}

/**
 * Rejects names that the route does not define: a misspelt `configs` would create a key without restrictions. @throws
 * GatewayError `invalid_value`
 */
export function checkNames(names: Iterable<string>, known: Readonly<Record<string, string>> | undefined, what: string): void {
  const all = Object.keys(known ?? {});
  for (const name of names) {
    if (all.includes(name)) continue;
    const param = name.slice(0, 100);
    const hint = all.length === 0 ? `This route has no ${what}.` : `It accepts ${all.join(', ')}.`;
    throw new GatewayError('invalid_value', { message: `The ${what} "${param}" is unknown.${didYouMean(param, all)}`, param, hint });
  }
}

/** Returns whether a member of the body is true; absent and null count as false. @throws GatewayError `invalid_type` */
export function isSet(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw new GatewayError('invalid_type', { message: `"${name}" is neither true nor false.`, param: name });
  return value;
}

/** Returns a string member of the body. @throws GatewayError `missing_required_parameter`, `invalid_type` */
export function textIn(body: JsonObject, name: string): string {
  const value = body[name];
  if (value === undefined || value === null)
    throw new GatewayError('missing_required_parameter', { message: `"${name}" is missing.`, param: name });
  if (typeof value !== 'string') throw new GatewayError('invalid_type', { message: `"${name}" is not a string.`, param: name });
  return value;
}

/** An API key in the body; absent and null are none. @throws GatewayError `invalid_type`, or `invalid_value` for what no header can hold */
export function keyIn(body: JsonObject, name: string): string | undefined {
  if (body[name] === undefined || body[name] === null) return undefined;
  const key = textIn(body, name);
  if (/^[!-~]*$/.test(key)) return key;
  throw new GatewayError('invalid_value', { message: `"${name}" has characters that no API key has.`, param: name });
}
