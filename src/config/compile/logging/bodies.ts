import { namedPatterns, type NamedPattern } from '../../../core/redaction/find/hits.ts';
import { BodyRedactor } from '../../../core/redaction/index.ts';
import type { OperatorPattern } from '../../../core/redaction/rules.ts';
import type { BodyPolicy } from '../../../core/records/record.ts';
import type { LogSettings, ObservabilitySettings } from '../../../core/snapshot.ts';
import type { GatewayConfig } from '../../schema/index.ts';
import { compileFinder } from '../../validate/regex.ts';
import { invalidConfig } from '../invalid.ts';
import { requestsOf } from './request-log.ts';
import { sizeOf } from '../server.ts';

/** Defaults for `logging:`. Sizes in bytes. */
const defaults = { bodies: 'redacted', maxBody: 256 * 1024 } as const;

const storesContent = (bodies: BodyPolicy | undefined): boolean => bodies === 'redacted' || bodies === 'full';

/**
 * Compiles `logging:`.
 * @param secrets of the whole configuration
 */
export function compileLogging(
  tree: Pick<GatewayConfig, 'logging' | 'configs' | 'api_keys' | 'auth'>,
  secrets: readonly string[],
  exported: Pick<ObservabilitySettings, 'tracing' | 'logs'>,
): LogSettings {
  const entry = tree.logging ?? {};
  const requests = requestsOf(entry);
  const read = entry.requests === 'off' ? exportedBodies(exported) : 'full';
  const bodies = requests.bodies ?? defaults.bodies;
  const rules = [...Object.values(tree.configs ?? {}), ...Object.values(tree.api_keys ?? {}), tree.auth?.jwt].map(
    (each) => each?.log?.bodies,
  );
  return Object.freeze({
    level: entry.level ?? 'info',
    format: entry.format ?? 'auto',
    bodies,
    read,
    keepsBodies: storesContent(read) && (storesContent(bodies) || rules.some(storesContent)),
    redactor: compileRedactor(requests.redact, secrets),
    sample: Object.freeze({ success: shareOf(requests.sample?.success), errors: shareOf(requests.sample?.errors) }),
    clientMayLower: requests.client_may?.includes('lower') ?? true,
    maxBody: sizeOf(requests.max_body) ?? defaults.maxBody,
  });
}

/** Which bodies are read only for telemetry collectors, when no records are stored. */
function exportedBodies({ tracing, logs }: Pick<ObservabilitySettings, 'tracing' | 'logs'>): BodyPolicy {
  if (tracing?.content === true || logs?.content === true) return 'full';
  return tracing === undefined && logs === undefined ? 'none' : 'metadata';
}

type RedactEntry = NonNullable<ReturnType<typeof requestsOf>['redact']>;

function compileRedactor(entry: RedactEntry = {}, secrets: readonly string[]): BodyRedactor {
  const patterns = entry.patterns ?? namedPatterns;
  const known: readonly string[] = namedPatterns;
  const rules = {
    fields: entry.fields ?? [],
    patterns: new Set(patterns.filter((pattern): pattern is NamedPattern => known.includes(pattern))),
    own: patterns.flatMap((pattern): readonly OperatorPattern[] =>
      pattern.startsWith('regex:') ? [finderOf(pattern.slice('regex:'.length))] : [],
    ),
    media: entry.media ?? 'digest',
  } as const;
  return new BodyRedactor(rules, secrets);
}

function finderOf(pattern: string): OperatorPattern {
  const finder = compileFinder(pattern);
  if ('error' in finder) throw invalidConfig(`the pattern cannot be used: ${finder.error}`, undefined, 'logging.requests.redact.patterns');
  return finder;
}

const shareOf = (percentage: string | undefined): number => (percentage === undefined ? 1 : Number.parseFloat(percentage) / 100);
