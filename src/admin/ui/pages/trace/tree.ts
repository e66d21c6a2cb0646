import type { LogRow } from '../../../../core/logs/row.ts';

export interface Node {
  /** Null for a span that is named as a parent and is not itself a request. */
  readonly row: LogRow | null;
  readonly span: string;
  readonly depth: number;
}

/** Deeper than this is drawn at the same depth: spans are named by callers, and may be a chain without an end. */
const deepest = 12;

/**
 * Requests of a trace as a tree by their spans, in the order of their arrival. A parent that is not there becomes a node
 * of its own where several have it; spans that name each other in a circle are listed at the top.
 */
export function treeOf(rows: readonly LogRow[]): readonly Node[] {
  const spans = new Set(rows.map(({ span }) => span).filter((span) => span !== null));
  const children = Map.groupBy(
    rows.filter(({ parent }) => parent !== null),
    ({ parent }) => parent ?? '',
  );
  const nodes: Node[] = [];
  const done = new Set<LogRow>();
  const visit = (row: LogRow, depth: number): void => {
    if (done.has(row)) return;
    done.add(row);
    nodes.push({ row, span: row.span ?? row.id, depth: Math.min(depth, deepest) });
    if (row.span !== null) for (const child of children.get(row.span) ?? []) visit(child, depth + 1);
  };
  for (const row of rows) {
    if (done.has(row) || (row.parent !== null && spans.has(row.parent))) continue;
    const siblings = row.parent === null ? [] : (children.get(row.parent) ?? []);
    if (siblings.length < 2) {
      visit(row, 0);
      continue;
    }
    nodes.push({ row: null, span: row.parent ?? '', depth: 0 });
    for (const sibling of siblings) visit(sibling, 1);
  }
  for (const row of rows) visit(row, 0);
  return nodes;
}
