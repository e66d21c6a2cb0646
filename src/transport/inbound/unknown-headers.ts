import { GatewayError } from '../../core/error.ts';
import { type HeaderBag, type RequestHeader, requestHeaders } from '../../core/http/headers.ts';
import { booleanIn } from '../../core/text/boolean-text.ts';
import { headerNameAsSent } from '../../core/text/header-name-as-sent.ts';
import { nearest } from '../../core/text/nearest.ts';
import { plural } from '../../core/text/wording.ts';
import type { HeaderNames } from './header-bag.ts';

/** Result of the check of gateway headers without a meaning. */
export interface UnknownHeaders {
  /** Set if a misspelt header would choose the route or the caller: without it, the request would be routed differently. */
  readonly fault: GatewayError | undefined;
  readonly warnings: readonly string[];
}

/** Headers that determine the provider or the identity of the caller. */
const routingHeaders: readonly RequestHeader[] = ['config', 'provider', 'virtualKey', 'apiKey'];
const routingTails: ReadonlySet<string> = new Set(routingHeaders.flatMap((header) => requestHeaders[header]));

/** Maximum number of warnings per request, and of characters shown of a name. */
const limits = { warnings: 4, name: 60 } as const;

/** @param strange lower-case names, each with one of the prefixes */
export function checkUnknownHeaders(strange: ReadonlySet<string>, names: HeaderNames): UnknownHeaders {
  const warnings: string[] = [];
  for (const name of strange) {
    const prefix = names.prefixes.find((one) => name.startsWith(one)) ?? '';
    const tail = name.slice(prefix.length);
    const isShown = warnings.length < limits.warnings;
    // A head may contain hundreds of names: those that are only counted are compared with few known names.
    const suggestion = isShown || nearest(tail, routingTails) !== undefined ? nearest(tail, names.tails) : undefined;
    if (suggestion !== undefined && routingTails.has(suggestion)) return { fault: misspeltFault(name, prefix + suggestion), warnings };
    if (!isShown) continue;
    const hint = suggestion === undefined ? '' : ` Did you mean "${prefix}${suggestion}"?`;
    warnings.push(`"${shown(name)}" is not a gateway header and has no effect.${hint}`);
  }
  const more = strange.size - warnings.length;
  if (more <= 0) return { fault: undefined, warnings };
  const rest = `${plural(more, 'more header')} of the request ${more === 1 ? 'is not a gateway header' : 'are not gateway headers'}.`;
  return { fault: undefined, warnings: [...warnings, rest] };
}

function misspeltFault(name: string, meant: string): GatewayError {
  return new GatewayError('invalid_header', {
    message: `"${shown(name)}" is not a gateway header. Did you mean "${meant}"?`,
    param: shown(name),
    hint: `Send "${meant}", or remove the header.`,
  });
}

const shown = (name: string): string => (name.length > limits.name ? `${name.slice(0, limits.name)}...` : name);

const policies = ['none', 'metadata', 'redacted', 'full'];

/** Rejects an invalid value of a header that limits what is stored: if it were ignored, the request would be stored in full. */
export function privacyFault(headers: HeaderBag): GatewayError | undefined {
  const log = headers.gateway('log')?.trim().toLowerCase() ?? '';
  if (log !== '' && !policies.includes(log)) return invalidValueFault(headers, 'log', 'metadata or none');
  const debug = headers.gateway('debug')?.trim() ?? '';
  return debug !== '' && booleanIn(debug) === undefined ? invalidValueFault(headers, 'debug', 'true or false') : undefined;
}

function invalidValueFault(headers: HeaderBag, header: 'log' | 'debug', values: string): GatewayError {
  const name = headerNameAsSent(headers, header);
  return new GatewayError('invalid_header', {
    message: `${name} is "${shown(headers.gateway(header) ?? '')}", not ${values}.`,
    param: name,
    hint: 'The header decides what is stored of the request: correct it, or leave it out.',
  });
}
