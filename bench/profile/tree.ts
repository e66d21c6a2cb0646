/** What V8's profiler gives: nodes of the call tree, and which of them was seen at each sample. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

/** A function in its callers. */
export interface Frame {
  readonly name: string;
  readonly where: string;
  /** Microseconds with all that it called. */
  readonly total: number;
  readonly self: number;
  readonly children: readonly Frame[];
}

/** Merges nodes of the same function below the same caller; the largest come first. Without what is idle. */
export function treeOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const self = new Map<number, number>();
  for (const [n, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[n] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const merge = (name: string, where: string, ids: readonly number[]): Frame => {
    const groups = Map.groupBy(
      ids.flatMap((id) => byId.get(id)?.children ?? []),
      (id) => JSON.stringify(labelOf(byId.get(id)?.callFrame)),
    );
    const children = [...groups]
      .map(([label, members]) => {
        const [childName, childWhere] = JSON.parse(label) as [string, string];
        return merge(childName, childWhere, members);
      })
      .filter((child) => child.name !== '(idle)' && child.total > 0)
      .toSorted((one, other) => other.total - one.total);
    const own = ids.reduce((sum, id) => sum + (self.get(id) ?? 0), 0);
    return { name, where, self: own, total: own + children.reduce((sum, child) => sum + child.total, 0), children };
  };
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  return merge(
    'all',
    '',
    nodes.filter(({ id }) => !called.has(id)).map(({ id }) => id),
  );
}

type CallFrame = CpuProfile['nodes'][number]['callFrame'];

/** A file is named by its last two folders: enough to find it. */
function labelOf(frame: CallFrame | undefined): [name: string, where: string] {
  const { functionName = '', url = '', lineNumber = 0 } = frame ?? {};
  const file = url
    .replace(/^file:\/\//, '')
    .split('/')
    .slice(-3)
    .join('/');
  return [functionName === '' ? '(anonymous)' : functionName, file === '' ? '' : `${file}:${lineNumber + 1}`];
}
