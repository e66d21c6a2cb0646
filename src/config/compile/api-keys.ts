import { compileLimits } from '../../core/limits/caller-limits.ts';
import { keyIdOf, ownerOfKey } from '../../core/secrets/key.ts';
import type { ApiKey } from '../../core/snapshot.ts';
import { parseTime } from '../../core/text/units.ts';
import type { GatewayKeyEntry } from '../schema/index.ts';
import { compileGlobs, compileNames } from './providers/allow.ts';
import { deepFreeze } from './freeze.ts';
import { invalidConfig } from './invalid.ts';
import type { Steps } from '../../core/async/steps.ts';

/** Rules for a caller as written. Entries of `api_keys` and `auth.jwt` share these keys. */
export type CallerRules = Pick<
  GatewayKeyEntry,
  'default_config' | 'enforce_config' | 'allow' | 'limits' | 'debug' | 'reasoning_content' | 'log' | 'isolate'
>;

/** Compiles `api_keys:` to a map by the lower-case hex SHA-256 of the secret. The newest secret of each entry comes first. */
export function* compileApiKeys(entries: Readonly<Record<string, GatewayKeyEntry>> = {}): Steps<ReadonlyMap<string, ApiKey>> {
  const keys = new Map<string, ApiKey>();
  const add = (written: string, key: ApiKey): void => {
    const hash = written.replace(/^sha256:/, '').toLowerCase();
    const other = keys.get(hash);
    if (other !== undefined) throw invalidConfig(`api_keys "${other.name}" and "${key.name}" are the same key`);
    keys.set(hash, Object.freeze({ ...key, id: keyIdOf(hash) }));
  };
  for (const [name, entry] of Object.entries(entries)) {
    const key = compileApiKey(name, entry);
    add(entry.hash, key);
    for (const [i, older] of (entry.previous ?? []).entries())
      add(older.hash, { ...key, retires: timeOf(older.until, `api_keys.${name}.previous[${i}].until`) });
    yield;
  }
  return keys;
}

function compileApiKey(name: string, entry: GatewayKeyEntry): ApiKey {
  return {
    ...compileRules(name, entry),
    metadata: deepFreeze({ ...entry.metadata }),
    expires: timeOf(entry.expires, `api_keys.${name}.expires`),
    revoked: timeOf(entry.revoked, `api_keys.${name}.revoked`),
  };
}

/** Compiles the rules of a key for its callers. */
export function compileRules(name: string, rules: CallerRules): ApiKey {
  return {
    name,
    owner: ownerOfKey(name),
    isolated: rules.isolate ?? true,
    limits: compileLimits(rules.limits),
    id: '',
    defaultConfig: rules.default_config,
    enforceConfig: rules.enforce_config ?? false,
    metadata: Object.freeze({}),
    expires: undefined,
    retires: undefined,
    revoked: undefined,
    showsReasoning: rules.reasoning_content,
    log: rules.log,
    allowsConfig: compileNames(rules.allow?.configs),
    allowsProvider: compileNames(rules.allow?.providers),
    allowsModel: compileGlobs(rules.allow?.models),
    allowsPrompt: compileNames(rules.allow?.prompts),
    allowsRegex: rules.allow?.regex ?? false,
  };
}

/** A date without a time means the start of that day. */
function timeOf(text: string | undefined, path: string): number | undefined {
  if (text === undefined) return undefined;
  const at = parseTime(text);
  if (Number.isNaN(at)) throw invalidConfig(`"${text}" is not a date`, 'Write 2027-03-01, or 2027-03-01T12:00:00Z.', path);
  return at;
}
