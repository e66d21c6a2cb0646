import type { TextOrVariable, TokenEndpoint } from '../../../core/secrets/grant.ts';
import { TokenError } from '../token-source.ts';
import { tokenUrl } from './token-request.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the text, or the value of the variable. @throws TokenError naming a variable that is not set */
export function resolvedText(value: TextOrVariable, env: Environment): string {
  if (typeof value === 'string') return value;
  const found = env[value.env]?.trim();
  const text = found === undefined || found === '' ? value.otherwise : found;
  if (text !== undefined) return text;
  const { field } = value;
  const instead = field === undefined ? '' : `${field} is not set, and `;
  throw new TokenError(`${instead}the variable ${value.env} is not set`, { field });
}

/** True if the variable is set and not empty. */
export function isSet(name: string, env: Environment): boolean {
  return (env[name]?.trim() ?? '') !== '';
}

/** Joins the parts of a token endpoint. @throws TokenError */
export function endpointUrl({ base, path }: TokenEndpoint, env: Environment): URL {
  const segments = path.map((part) => encodeURIComponent(resolvedText(part, env)));
  return tokenUrl([resolvedText(base, env).replace(/\/+$/, ''), ...segments].join('/'));
}
