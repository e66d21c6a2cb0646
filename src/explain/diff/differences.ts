import { formatPath } from '../../config/read/node.ts';
import { isJsonObject, merge, type JsonObject } from '../../core/json/merge.ts';
import { otherPaths, fieldsOverruledBy, withoutOverruled } from '../../core/model/field-names.ts';
import type { SameMeaning } from '../../core/provider.ts';
import type { Difference, Origin } from '../../core/logs/explanation.ts';
import { truncateMasked } from './truncate-masked.ts';
import { conversionDiff } from './conversion.ts';
import { type Change, type JsonPath, structuralDiff } from '../../core/diff/structural-diff.ts';

/** Known reasons for changes of a body. */
export interface ChangeFacts {
  /** Members of `override_params` by name, with their location. */
  readonly overrides: ReadonlyMap<string, Origin | null>;
  /** Values that these members set; undefined when unknown. */
  readonly override: JsonObject | undefined;
  /** Further places of the body in which the provider's operation reads the same parameter. */
  readonly sameMeaning?: readonly SameMeaning[] | undefined;
  readonly dropped: readonly { readonly param: string; readonly reason: string }[];
  /** The stored prompt that produced the body, such as `welcome@2`. */
  readonly prompt: string | undefined;
  /** Plugins that saw the request before it was sent, if one of them changed it. */
  readonly plugins: readonly string[];
  /** Format that the body was converted to; undefined if it keeps the client's format. */
  readonly format: string | undefined;
  readonly type: string;
  /** Masks secrets in a value. */
  hide(text: string): string;
}

/** Longest value shown, in characters. Longer ones are cut. */
const maxValueLength = 400;
/** Most differences reported. */
const maxDifferences = 400;

/**
 * Differences between the client's body and the upstream body, each with its cause.
 *
 * @param afterPlugins the body after plugins, before overrides and conversion; the client's body if no plugin changed it
 */
export function differences(client: unknown, upstream: unknown, facts: ChangeFacts, afterPlugins: unknown = client): readonly Difference[] {
  const pluginDifferences =
    afterPlugins === client ? [] : structuralDiff(client, afterPlugins).map((change) => differenceOf(change, pluginCause(facts), facts));
  const upstreamDifferences =
    facts.format === undefined
      ? passThroughDifferences(afterPlugins, upstream, facts)
      : conversionDifferences(afterPlugins, upstream, facts);
  return [...pluginDifferences, ...upstreamDifferences, ...droppedOverrides(upstreamDifferences, facts)].slice(0, maxDifferences);
}

/** Members that the configuration sets and the provider does not accept. A comparison of the two bodies does not show them. */
function droppedOverrides(found: readonly Difference[], { dropped, overrides }: ChangeFacts): Difference[] {
  return dropped.flatMap(({ param, reason }): Difference[] => {
    if (found.some(({ kind, cause, path }) => kind === 'removed' && cause === reason && (path === param || path.startsWith(param))))
      return [];
    const written = [...overrides].find(([name]) => name === param || name.startsWith(`${param}.`));
    return written === undefined ? [] : [{ path: param, kind: 'removed', cause: reason, at: written[1] }];
  });
}

interface Cause {
  readonly cause: string;
  readonly at: Origin | null;
}

const pluginCause = ({ prompt, plugins }: ChangeFacts): Cause => ({
  cause: prompt === undefined ? `plugin ${plugins.join(', ')}` : `stored prompt ${prompt}`,
  at: null,
});

function passThroughDifferences(before: unknown, after: unknown, facts: ChangeFacts): Difference[] {
  const changes = structuralDiff(before, after);
  return withRenames(changes).map((change) => differenceOf(change, causeOf(change, facts), facts));
}

/** Differences made by the configuration, in the client's format, followed by those made by the conversion. */
function conversionDifferences(before: unknown, after: unknown, facts: ChangeFacts): Difference[] {
  const written = applyOverrides(before, facts);
  const configDifferences = structuralDiff(before, written).map((change) => differenceOf(change, causeOf(change, facts), facts));
  const formatDifferences = conversionDiff(written, after).map((change) =>
    differenceOf(change, causeOf(change, { ...facts, overrides: new Map() }), facts),
  );
  return [...configDifferences, ...formatDifferences];
}

/** The body with overrides applied, except `stream`, which only the client decides. */
function applyOverrides(body: unknown, { override, sameMeaning }: ChangeFacts): unknown {
  if (override === undefined || !isJsonObject(body)) return body;
  const { stream: _stream, ...rest } = override;
  return merge(withoutOverruled(body, fieldsOverruledBy(rest, sameMeaning)), rest);
}

/** Combines a removed member with an added member of the same value into a rename. */
function withRenames(changes: readonly Change[]): readonly Change[] {
  const removedByValue = Map.groupBy(
    changes.filter(({ kind, path }) => kind === 'removed' && path.length === 1),
    ({ before }) => JSON.stringify(before),
  );
  const used = new Set<Change>();
  const made = changes.map((change): Change => {
    if (change.kind !== 'added' || change.path.length !== 1) return change;
    const from = removedByValue.get(JSON.stringify(change.after))?.shift();
    if (from === undefined) return change;
    used.add(from);
    return { kind: 'moved', path: change.path, from: from.path, after: change.after };
  });
  return made.filter((change) => !used.has(change));
}

function causeOf({ kind, path, from }: Change, facts: ChangeFacts): Cause {
  const name = memberName(path);
  for (const [written, at] of facts.overrides) {
    const isOverruled = kind !== 'moved' && otherPaths(written).some((other) => name === other || name.startsWith(`${other}.`));
    if (written !== name && !isOverruled && !name.startsWith(`${written}.`) && !written.startsWith(`${name}.`)) continue;
    return { cause: name === 'labels' || name.startsWith('labels.') ? 'labels' : 'override_params', at };
  }
  if (kind === 'removed') {
    const dropped = facts.dropped.find(({ param }) => namesPath(param, path));
    if (dropped !== undefined) return { cause: dropped.reason, at: null };
  }
  if (name === 'model' || (from !== undefined && memberName(from) === 'model')) return { cause: 'model name', at: null };
  return { cause: facts.format === undefined ? `provider ${facts.type}` : `format ${facts.format}`, at: null };
}

/** True if `param` names this path or an ancestor, written as `messages[0].name` or `messages.0.name`. */
function namesPath(param: string, path: JsonPath): boolean {
  const text = formatPath(path);
  const written = param.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');
  return (
    text === written || text.startsWith(`${written}.`) || text.startsWith(`${written}[`) || written === text.replaceAll(/\[\d+\]/g, '[]')
  );
}

const memberName = (path: JsonPath): string => path.filter((step) => typeof step === 'string').join('.');

function differenceOf({ kind, path, from, before, after }: Change, { cause, at }: Cause, { hide }: ChangeFacts): Difference {
  return {
    path: formatPath(path) || '(all)',
    kind,
    ...(from === undefined ? {} : { from: formatPath(from) }),
    ...(before === undefined ? {} : { before: shownValue(before, hide) }),
    ...(after === undefined ? {} : { after: shownValue(after, hide) }),
    cause,
    at,
  };
}

const shownValue = (value: unknown, hide: ChangeFacts['hide']): string =>
  truncateMasked(JSON.stringify(value) ?? 'null', maxValueLength, hide);
