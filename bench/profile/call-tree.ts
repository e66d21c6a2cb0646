/** Output of V8's profiler: nodes of the call tree, and the active node of each sample. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
}

/** A function in the tree of its callers. */
export interface CallFrameNode {
  readonly name: string;
  readonly where: string;
  /** Microseconds, including all functions it called. */
  readonly total: number;
  readonly self: number;
  readonly children: readonly CallFrameNode[];
}

/** Merges nodes of the same function with the same caller, sorted by time in descending order. Omits idle time. */
export function callTreeOf({ nodes, samples, timeDeltas }: CpuProfile): CallFrameNode {
  const self = new Map<number, number>();
  for (const [n, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[n] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const merge = (name: string, where: string, ids: readonly number[]): CallFrameNode => {
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

/** Identifies a file by its name and last two folders. */
function labelOf(frame: CallFrame | undefined): [name: string, where: string] {
  const { functionName = '', url = '', lineNumber = 0 } = frame ?? {};
  const file = url
    .replace(/^file:\/\//, '')
    .split('/')
    .slice(-3)
    .join('/');
  return [functionName === '' ? '(anonymous)' : functionName, file === '' ? '' : `${file}:${lineNumber + 1}`];
}
