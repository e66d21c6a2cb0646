import { isLoopbackHost, unbracket } from '../../../core/http/listen-address.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { child, type Node, textOf } from '../../read/node.ts';
import { checkEnforcedConfig } from './api-keys.ts';
import { checkLimits } from './limits.ts';
import { type CheckContext, entryOf } from '../context.ts';

/** Rules that a token inherits from the API key it names. */
const inheritedRules = ['default_config', 'enforce_config', 'allow', 'limits', 'debug'] as const;

/** Checks of `auth.jwt` beyond its shape. */
export function checkTokens(context: CheckContext): void {
  const { root, report } = context;
  const jwt = child(child(root, 'auth'), 'jwt');
  if (jwt === undefined) return;
  const named = entryOf(jwt, 'key');
  for (const key of named === undefined ? [] : inheritedRules) {
    const entry = entryOf(jwt, key);
    if (entry === undefined) continue;
    report({
      code: 'conflict',
      at: entry.keyAt,
      message: `"${key}" cannot be combined with "key"`,
      hint: `remove "${key}": the rules are those of the key that the token names`,
    });
  }
  if (named === undefined) checkEnforcedConfig(jwt, ['auth', 'jwt'], context);
  checkLimits(jwt, ['auth', 'jwt'], context);
  checkKeySet(child(jwt, 'jwks'), context);
}

/** Checks `jwks`. A URL is fetched only for the first token; an inline or file key set is checked here. */
function checkKeySet(node: Node | undefined, { isValid, unresolved, report }: CheckContext): void {
  const text = textOf(node);
  if (node === undefined || text === undefined || unresolved.has(node.at) || !isValid(['auth', 'jwt', 'jwks'])) return;
  if (!text.trimStart().startsWith('{')) {
    const url = URL.parse(text);
    if (url?.protocol === 'https:') return;
    if (url?.protocol === 'http:') {
      if (!isLoopbackHost(unbracket(url.hostname)))
        report({
          code: 'exposed',
          severity: 'warning',
          at: node.at,
          message: '"jwks" is fetched over plain http: anyone who can change this traffic can forge tokens',
          hint: 'use https, or a file with the key set',
        });
      return;
    }
    report({ code: 'bad-url', at: node.at, message: '"jwks" is neither a URL nor a file', hint: 'write https://… or ./keys.json' });
    return;
  }
  const problem = keySetProblem(text);
  if (problem === undefined) return;
  const hint = 'a key set looks like {"keys": [{"kty": "RSA", "kid": …, "n": …, "e": …}]}, with public keys only';
  report({ code: 'wrong-type', at: node.at, message: `"jwks" ${problem}`, hint, show: 'none' });
}

function keySetProblem(text: string): string | undefined {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  const keys: readonly unknown[] = isJsonObject(set) && Array.isArray(set['keys']) ? (set['keys'] as unknown[]) : [];
  if (keys.length === 0) return 'contains no keys';
  if (!keys.every(isJsonObject)) return 'contains a value that is not a key';
  if (keys.some((key) => key['kty'] === 'oct')) return 'contains a shared secret, with which everyone who knows it could sign tokens';
  return keys.some((key) => 'd' in key) ? 'contains a private key' : undefined;
}
