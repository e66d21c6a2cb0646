import { jwtAlgorithms } from '../../core/secrets/jwt.ts';
import type { ApiKey, JwtRules } from '../../core/snapshot.ts';
import { parseDuration } from '../../core/text/units.ts';
import type { AuthEntry } from '../schema/index.ts';
import { compileRules } from './api-keys.ts';
import { deepFreeze } from './freeze.ts';

const defaultTolerance = '30s';

/**
 * Compiles `auth.jwt`.
 * @param apiKeys secrets of `api_keys`, the newest of each entry first
 */
export function compileJwt(auth: AuthEntry | undefined, apiKeys: ReadonlyMap<string, ApiKey>): JwtRules | undefined {
  const jwt = auth?.jwt;
  if (jwt === undefined) return undefined;
  const keys = new Map<string, ApiKey>();
  for (const key of apiKeys.values()) if (!keys.has(key.name)) keys.set(key.name, key);
  return Object.freeze({
    settings: deepFreeze({
      issuers: listOf(jwt.issuer),
      audiences: listOf(jwt.audience),
      jwks: jwt.jwks.trimStart().startsWith('{') ? { text: jwt.jwks } : { url: jwt.jwks },
      algorithms: [...(jwt.algorithms ?? jwtAlgorithms)],
      toleranceS: (parseDuration(jwt.clock_tolerance ?? defaultTolerance) ?? 0) / 1000,
    }),
    inAuthorization: jwt.from?.includes('authorization') === true,
    caller: jwt.caller ?? 'sub',
    metadata: Object.entries(jwt.metadata ?? {}),
    keyClaim: jwt.key,
    rules: Object.freeze(compileRules('jwt', jwt)),
    keys,
  });
}

const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : [...value]);
