import type { LogRow } from '../../../../core/logs/row.ts';
import { attemptSpanId, spanIdOf } from '../../../../core/records/span-ids.ts';

export interface TraceNode {
  /** Null for a span that is only known as a parent, and is not a recorded request. */
  readonly row: LogRow | null;
  readonly span: string;
  readonly depth: number;
}

/** Deeper nodes are drawn at this depth, because callers choose the spans and can make chains of any length. */
const maxDepth = 12;

/** Ids that tracing libraries generate. They are not shown as names. */
const isGeneratedId = (span: string): boolean => /^[0-9a-f]{16}$/.test(span);

/**
 * Builds the tree of a trace from the spans of its requests, in the order of arrival. A parent without a record becomes a node
 * if several requests have it, or if its name is readable. Spans in a cycle are placed at the top level.
 */
export function treeOf(rows: readonly LogRow[]): readonly TraceNode[] {
  const owners = ownersOf(rows);
  const children = Map.groupBy(
    rows.filter(({ parent }) => parent !== null),
    ({ parent }) => owners.get(parent ?? '') ?? parent ?? '',
  );
  const nodes: TraceNode[] = [];
  const done = new Set<LogRow>();
  const visit = (row: LogRow, depth: number): void => {
    if (done.has(row)) return;
    done.add(row);
    nodes.push({ row, span: row.span ?? row.id, depth: Math.min(depth, maxDepth) });
    for (const child of children.get(row) ?? []) visit(child, depth + 1);
  };
  for (const row of rows) {
    const { parent } = row;
    if (done.has(row) || (parent !== null && owners.has(parent))) continue;
    const siblings = parent === null ? [] : (children.get(parent) ?? []);
    if (parent === null || (siblings.length < 2 && isGeneratedId(parent))) {
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
 * The requests by the ids that children may refer to: the caller's span id, and those that the gateway writes into the
 * `traceparent` header of upstream requests, to which a request through this or another gateway refers.
 */
function ownersOf(rows: readonly LogRow[]): ReadonlyMap<string, LogRow> {
  const owners = new Map<string, LogRow>();
  const add = (span: string, row: LogRow): void => {
    if (!owners.has(span)) owners.set(span, row);
  };
  for (const row of rows) if (row.span !== null) add(row.span, row);
  const isMissing = rows.some(({ parent }) => parent !== null && isGeneratedId(parent) && !owners.has(parent));
  for (const row of isMissing ? rows : []) {
    add(spanIdOf(row.id), row);
    for (let n = 0; n < row.attempts; n += 1) add(attemptSpanId(row.id, n), row);
  }
  return owners;
}

/** Display name of a span: its name, or else its readable id. */
export const stepOf = ({ span, span_name: name }: Pick<LogRow, 'span' | 'span_name'>): string | null =>
  name ?? (span === null || isGeneratedId(span) ? null : span);
