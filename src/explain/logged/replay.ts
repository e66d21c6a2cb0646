import { GatewayError } from '../../core/error.ts';
import { canonicalPrefix } from '../../core/http/headers.ts';
import { JsonBody } from '../../core/json/body.ts';
import { tryParseObject, tryParseJson } from '../../core/json/scan.ts';
import type { ExplainRequest } from '../../core/logs/explanation.ts';
import type { StoredRecord } from '../../core/logs/reader.ts';
import { differences } from '../diff/differences.ts';
import { type HeaderNames, isOneOf } from '../../transport/inbound/header-bag.ts';
import type { LoggedBody } from './bodies.ts';
import { type LoggedDifferences, maxCompared } from './differences.ts';

/** Differences between a replayed request and the recorded one. */
export interface ReplayChanges {
  /** `provider/model`; without a model, the recorded model is used. */
  readonly to?: string | undefined;
  readonly config?: string | undefined;
}

/** Headers that choose the target. */
const targetHeaders = ['config', 'provider', 'virtualKey'] as const;

/**
 * The recorded request with another target or config.
 * @throws GatewayError `invalid_value`
 */
export function withReplayChanges(request: ExplainRequest, { to, config }: ReplayChanges, names: HeaderNames): ExplainRequest {
  const isReplaced = to !== undefined || config !== undefined;
  const kept = Object.entries(request.headers ?? {}).filter(([name]) => !isReplaced || !isOneOf(names, targetHeaders, name));
  const headers = Object.fromEntries(kept);
  let { body } = request;
  if (config !== undefined) headers[`${canonicalPrefix}config`] = config;
  if (to !== undefined) {
    const [, slug, model] = /^@?([^/]+)(?:\/(.+))?$/.exec(to) ?? [];
    if (slug === undefined) throw noTarget(`"${to.slice(0, 100)}" is not a target.`, 'Use provider/model.');
    if (model !== undefined && typeof body !== 'string') throw noTarget('The request has no body with a model.', 'Give the provider only.');
    const named = model ?? addressedModel(body);
    if (named === undefined || typeof body !== 'string') headers[`${canonicalPrefix}provider`] = `@${slug}`;
    else
      body = JsonBody.from(Buffer.from(body))
        .edit(new Map([['model', `@${slug}/${named}`]]))
        .bytes()
        .toString('utf8');
  }
  return { ...request, headers, body };
}

const noTarget = (message: string, hint: string): GatewayError => new GatewayError('invalid_value', { message, hint, param: 'to' });

/** The model of a body that also names its provider, which takes precedence over a header. */
function addressedModel(body: unknown): string | undefined {
  const model = typeof body === 'string' ? tryParseObject(body)?.['model'] : undefined;
  return typeof model === 'string' ? /^@[^/]+\/(.+)$/.exec(model)?.[1] : undefined;
}

/** Members that differ in every response. */
const volatileMembers: ReadonlySet<string> = new Set(['id', 'created', 'system_fingerprint', 'request_id']);

/** Differences between two responses, or the reason why they cannot be compared. JSON is compared as it is, streams by their events. */
export function responseDifferences(
  before: LoggedBody,
  after: string,
  { record }: StoredRecord,
  hide: (text: string) => string,
): LoggedDifferences {
  const absent = (why: string): LoggedDifferences => ({ differences: [], why_absent: why });
  if (!('text' in before)) return absent(`There is nothing to compare with: ${before.why}.`);
  if (record.lane === 'full')
    return absent(
      `The log has the response in the format of ${record.type ?? 'the provider'}, so it cannot be compared with one that was converted.`,
    );
  if (before.text.length > maxCompared || after.length > maxCompared) return absent('The responses are too large to be compared.');
  const [one, other] = [contentOf(before.text), contentOf(after)];
  if (one === undefined || other === undefined)
    return before.text === after ? { differences: [], why_absent: null } : absent('The responses are different, and not both JSON.');
  const facts = {
    overrides: new Map(),
    override: undefined,
    dropped: [],
    prompt: undefined,
    plugins: [],
    format: undefined,
    type: record.type ?? '',
    hide,
  };
  return { differences: differences(one, other, facts).map((difference) => ({ ...difference, cause: '' })), why_absent: null };
}

function contentOf(text: string): unknown {
  if (!/^(?:event|data|id|retry)?:/.test(text)) return withoutVolatileMembers(tryParseJson(text));
  const events = text.split('\n').flatMap((line) => (line.startsWith('data:') ? [eventIn(line.slice('data:'.length).trim())] : []));
  return { events };
}

const eventIn = (data: string): unknown => withoutVolatileMembers(tryParseJson(data)) ?? data;

function withoutVolatileMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !volatileMembers.has(name)));
}
