import type { Difference } from '../../core/logs/explanation.ts';
import { tryParseJson } from '../../core/json/scan.ts';
import { withFieldNamesOf } from '../../core/model/field-names.ts';
import { type ChangeFacts, differences } from '../diff/differences.ts';
import type { StoredRecord } from '../../core/logs/reader.ts';
import type { LoggedBody } from './bodies.ts';

/** Known facts about the configuration that was in use when a record was made. */
export type ConfiguredFacts = Pick<ChangeFacts, 'overrides' | 'override'>;

export interface LoggedDifferences {
  readonly differences: readonly Difference[];
  readonly why_absent: string | null;
}

/** Longest body compared, in characters. */
export const maxCompared = 4 * 1024 * 1024;

/**
 * Differences between the client's body and the upstream body of a record.
 *
 * @param configured undefined if the configuration of that time is not loaded
 */
export function loggedDifferences(
  { record }: StoredRecord,
  client: LoggedBody,
  upstream: LoggedBody,
  configured: ConfiguredFacts | undefined,
  hide: (text: string) => string,
): LoggedDifferences {
  if (!('text' in client)) return { differences: [], why_absent: sentence(client.why) };
  if (!('text' in upstream)) return { differences: [], why_absent: sentence(upstream.why) };
  if (client.text.length > maxCompared || upstream.text.length > maxCompared)
    return { differences: [], why_absent: 'The bodies are too large to be compared.' };
  const [before, after] = [tryParseJson(client.text), tryParseJson(upstream.text)];
  if (before === undefined || after === undefined) return { differences: [], why_absent: 'The bodies are not JSON.' };
  const facts: ChangeFacts = {
    overrides: configured?.overrides ?? new Map(),
    override: configured?.override === undefined ? undefined : withFieldNamesOf(record.endpoint, configured.override),
    dropped: record.dropped,
    prompt: record.prompt === null ? undefined : `${record.prompt.id}@${record.prompt.version}`,
    plugins: [],
    format: record.lane === 'full' ? `of ${record.type ?? 'the provider'}` : undefined,
    type: record.type ?? 'unknown',
    hide,
  };
  const found = differences(before, after, facts).map((one) => (record.prompt === null || one.at !== null ? one : promptCause(one, facts)));
  const why =
    configured === undefined && found.length > 0
      ? `Revision ${record.revision} is not the current one: lines of the configuration are not shown.`
      : null;
  return { differences: found, why_absent: why };
}

/** Attributes a change to the stored prompt, whose changes have no line in the configuration. */
function promptCause(one: Difference, { prompt }: ChangeFacts): Difference {
  return one.cause.startsWith('provider ') ? { ...one, cause: `stored prompt ${prompt ?? ''}` } : one;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
