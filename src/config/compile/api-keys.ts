import type { ApiKey } from '../../core/snapshot.ts';
import type { GatewayKeyEntry } from '../schema/index.ts';
import { compileGlobs, compileNames } from './allow.ts';
import { deepFreeze } from './freeze.ts';
import { invalid } from './invalid.ts';

/** Compiles `api_keys:` to a look-up by the lower-case hex SHA-256 of the key. */
export function compileApiKeys(entries: Readonly<Record<string, GatewayKeyEntry>> = {}): ReadonlyMap<string, ApiKey> {
  const keys = new Map<string, ApiKey>();
  for (const [name, entry] of Object.entries(entries)) {
    const hash = entry.hash.replace(/^sha256:/, '').toLowerCase();
    const other = keys.get(hash);
    if (other !== undefined) throw invalid(`api_keys "${other.name}" and "${name}" are the same key`);
    keys.set(hash, compileApiKey(name, entry));
  }
  return keys;
}

function compileApiKey(name: string, entry: GatewayKeyEntry): ApiKey {
  return Object.freeze({
    name,
    defaultConfig: entry.default_config,
    enforceConfig: entry.enforce_config ?? false,
    metadata: deepFreeze({ ...entry.metadata }),
    expires: expiryOf(name, entry.expires),
    debug: entry.debug ?? false,
    allowsConfig: compileNames(entry.allow?.configs),
    allowsProvider: compileNames(entry.allow?.providers),
    allowsModel: compileGlobs(entry.allow?.models),
  });
}

/** A date without a time is the beginning of that day in UTC. */
function expiryOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw invalid(`"${text}" is no date`, 'Write 2027-03-01, or 2027-03-01T12:00:00Z.', `api_keys.${name}.expires`);
  return at;
}
