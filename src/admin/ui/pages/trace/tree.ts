import type { LogRow } from '../../../../core/logs/row.ts';
import { attemptSpanId, spanIdOf } from '../../../../core/records/span-ids.ts';

export interface Node {
  /** Null for a span that is named as a parent and is not itself a request. */
  readonly row: LogRow | null;
  readonly span: string;
  readonly depth: number;
}

/** Deeper than this is drawn at the same depth: spans are named by callers, and may be a chain without an end. */
const deepest = 12;

/** Ids that tracing libraries make: nobody reads them. */
const isMade = (span: string): boolean => /^[0-9a-f]{16}$/.test(span);

/**
 * Requests of a trace as a tree by their spans, in the order of their arrival. A parent that is not recorded becomes a node
 * of its own where several have it, or where a person named it; spans that name each other in a circle begin at the top.
 */
export function treeOf(rows: readonly LogRow[]): readonly Node[] {
  const owners = ownersOf(rows);
  const children = Map.groupBy(
    rows.filter(({ parent }) => parent !== null),
    ({ parent }) => owners.get(parent ?? '') ?? parent ?? '',
  );
  const nodes: Node[] = [];
  const done = new Set<LogRow>();
  const visit = (row: LogRow, depth: number): void => {
    if (done.has(row)) return;
    done.add(row);
    nodes.push({ row, span: row.span ?? row.id, depth: Math.min(depth, deepest) });
    for (const child of children.get(row) ?? []) visit(child, depth + 1);
  };
  for (const row of rows) {
    const { parent } = row;
    if (done.has(row) || (parent !== null && owners.has(parent))) continue;
    const siblings = parent === null ? [] : (children.get(parent) ?? []);
    if (parent === null || (siblings.length < 2 && isMade(parent))) {
      visit(row, 0);
      continue;
    }
    nodes.push({ row: null, span: parent, depth: 0 });
    for (const sibling of siblings) visit(sibling, 1);
  }
  for (const row of rows) visit(row, 0);
  return nodes;
}

/**
 * The requests by the ids that others may name as their parent: the caller's, and those that the gateway writes into the
 * `traceparent` that it sends, which is how a request that came through another gateway, or this one, names them.
 */
function ownersOf(rows: readonly LogRow[]): ReadonlyMap<string, LogRow> {
  const owners = new Map<string, LogRow>();
  const add = (span: string, row: LogRow): void => {
    if (!owners.has(span)) owners.set(span, row);
  };
  for (const row of rows) if (row.span !== null) add(row.span, row);
  const isMissing = rows.some(({ parent }) => parent !== null && isMade(parent) && !owners.has(parent));
  for (const row of isMissing ? rows : []) {
    add(spanIdOf(row.id), row);
    for (let n = 0; n < row.attempts; n += 1) add(attemptSpanId(row.id, n), row);
  }
  return owners;
}

/** What the step is called: by its name, else by an id that a person wrote. */
export const stepOf = ({ span, span_name: name }: Pick<LogRow, 'span' | 'span_name'>): string | null =>
  name ?? (span === null || isMade(span) ? null : span);
