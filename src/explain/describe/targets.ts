import { costOf } from '../../core/cost/cost.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { isUnpaid } from '../../pipeline/record/usage.ts';
import { emptyRecord } from '../../core/records/empty.ts';
import { isConverting, type UpstreamRequest } from '../../core/provider.ts';
import type { ExplainedTarget } from '../../core/logs/explanation.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { withFieldNamesOf } from '../../core/model/field-names.ts';
import type { Leaf } from '../../core/snapshot.ts';
import { errorOf } from '../../pipeline/response/errors.ts';
import { truncateMasked } from '../diff/truncate-masked.ts';
import { type ChangeFacts, differences } from '../diff/differences.ts';
import type { DryRun, Visit } from '../dry-run/dry-run.ts';
import type { ConfigLevels } from '../dry-run/config-levels.ts';
import { headerNames, maskedHeaderPairs } from '../dry-run/references.ts';
import { cacheText, circuitText, fallbackConditions, noNext, retryText, timeoutsOf } from './texts.ts';

export interface TargetParts {
  readonly run: DryRun;
  readonly levels: ConfigLevels;
  hide(text: string): string;
}

/** Longest body shown, in characters. */
const maxShownBody = 256 * 1024;
/** Most bytes of a body that are read, however long it is. */
const maxBytesRead = 4 * maxShownBody;
/** Largest body compared, in bytes. */
const maxBytesCompared = 4 * 1024 * 1024;

export function describeTarget(visit: Visit, parts: TargetParts): ExplainedTarget {
  const { leaf, attempt, sent } = visit;
  const { hide, levels, run } = parts;
  const binding = attempt?.binding ?? leaf.provider;
  const upstream = sent?.attempt.upstream;
  const isLocal = sent?.attempt.translation?.local !== undefined;
  const signed = isLocal || sent === undefined ? [] : sent.signed;
  const pairs = isLocal || upstream === undefined ? [] : maskedHeaderPairs(upstream, signed);
  const model = attempt?.call?.model || attempt?.model || '';
  return {
    target: fullPath(leaf),
    at: levels.at(leaf.root, leaf.path),
    provider: binding?.slug ?? '',
    type: binding?.provider.type ?? '',
    model: hide(model),
    deployment: attempt?.call?.deployment === undefined ? null : hide(model),
    left_on: hide(outcomeText(visit, run)),
    goes_here: visit.when === 'here',
    local: isLocal,
    url: isLocal || upstream === undefined ? null : hide(`${upstream.origin}${upstream.path}`),
    method: isLocal ? null : (upstream?.method ?? null),
    headers: pairs.map(([name, value]) => [name, hide(value)] as const),
    credential_headers: headerNames(signed),
    body: bodyText(upstream, parts),
    differences: differencesOf(visit, parts),
    retry: retryText(leaf.retry),
    cache: leaf.cache === undefined ? null : cacheText(leaf.cache),
    circuit: leaf.circuit === undefined ? null : circuitText(leaf.circuit),
    timeouts: attempt === undefined ? {} : timeoutsOf(attempt.timeouts),
    cost_usd: sent === undefined ? null : inputCost(sent.attempt, run),
    problem: problemOf(visit, hide),
  };
}

function bodyText(upstream: UpstreamRequest | undefined, { run, hide }: TargetParts): string | null {
  const bytes = upstream?.body.kind === 'json' ? upstream.body.bytes() : upstream?.body.kind === 'passing' ? run.relayed : undefined;
  if (bytes === undefined) return null;
  return truncateMasked(bytes.toString('utf8', 0, maxBytesRead), maxShownBody, hide, bytes.length > maxBytesRead);
}

const fullPath = ({ root, path }: Pick<Leaf, 'root' | 'path'>): string => root + path.slice('config'.length);

/** Typical number of JSON bytes per token. */
const bytesPerToken = 4;

/**
 * Estimated cost of the input as an exact decimal. Null when the price or the unit of the input is unknown, and when the
 * body is not the input of a model.
 */
function inputCost({ binding, model, call, upstream }: NonNullable<Visit['attempt']>, { ctx }: DryRun): string | null {
  if (upstream?.body.kind !== 'json' || upstream.body.mentions(';base64,') || upstream.body.mentions('"inlineData"')) return null;
  if (traitsOf(ctx.endpoint).state !== undefined || isUnpaid(ctx.endpoint)) return null;
  const { slug, provider } = binding;
  const names = {
    slug,
    type: provider.type,
    listed: provider.entry.prices,
    model,
    sent: call?.model,
    foundation: call?.foundationModel,
    answered: undefined,
  };
  const price = ctx.snapshot.prices.priceOf(names, ctx.at);
  return costOf({ ...emptyRecord.usage, prompt: Math.ceil(upstream.body.size / bytesPerToken), source: 'estimated' }, price).usd;
}

function outcomeText(visit: Visit, { ctx, visits }: DryRun): string {
  const { when, because, tries, leaf, sent, error } = visit;
  if (sent === undefined && because !== undefined) return because;
  if (sent === undefined && error !== undefined) return error.message;
  if (when !== 'left' && ctx.facts.traversal?.walk === 'stateful') return visit === visits.at(-1) ? noNext : '404, connection error';
  if (when !== 'left') return fallbackConditions(leaf);
  const count = tries === 1 ? '' : ` after ${tries} attempts`;
  return because === undefined ? `left${count}` : `left${count}: ${because}`;
}

function problemOf({ error, attempt }: Visit, hide: (text: string) => string): string | null {
  if (error === undefined) return null;
  if (attempt === undefined) return hide(error.hint === undefined ? error.message : `${error.message} ${error.hint}`);
  const { message, hint } = errorOf({ kind: 'refused', attempt, times: noTimes, error });
  return hide(hint === undefined ? message : `${message} ${hint}`);
}

const noTimes = { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: 0 };

function differencesOf({ sent, leaf }: Visit, { run, levels, hide }: TargetParts): ExplainedTarget['differences'] {
  const { ctx } = run;
  const upstream = sent?.attempt.upstream;
  const translation = sent?.attempt.translation;
  if (upstream?.body.kind !== 'json' || ctx.received.kind !== 'json' || translation === undefined) return [];
  if (upstream.body.size > maxBytesCompared || ctx.received.size > maxBytesCompared) return [];
  const { prompt } = ctx.facts;
  const facts: ChangeFacts = {
    overrides: levels.overrides(leaf.root, leaf.path),
    override: leaf.override === undefined ? undefined : withFieldNamesOf(ctx.endpoint, leaf.override),
    sameMeaning: sent?.attempt.binding.provider.operations[ctx.endpoint]?.sameMeaning,
    dropped: upstream.dropped,
    prompt: prompt === undefined ? undefined : `${prompt.used.version.id}@${prompt.used.version.number}`,
    plugins: [...new Set(ctx.plugins.filter(({ moment }) => moment === 'screen').map(({ name }) => name))],
    format: isConverting(translation) ? `of ${sent?.attempt.binding.provider.type ?? ''}` : undefined,
    type: sent?.attempt.binding.provider.type ?? '',
    hide,
  };
  const client = ctx.received.json();
  const between = ctx.body === ctx.received || ctx.body.kind !== 'json' ? client : ctx.body.json();
  return differences(client, upstream.body.json(), facts, isJsonObject(between) ? between : client);
}
