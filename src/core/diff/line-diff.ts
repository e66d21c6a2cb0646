/** Number of context lines around a change. */
const contextLines = 3;
/** Maximum edit steps; beyond them the rest counts as replaced, because the texts have too little in common. */
const maxSteps = 400;

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** Returns a unified diff of two texts by lines, without file headers; '' if they are equal. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return '';
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const [endOfA, endOfB] = [a.length - tail, b.length - tail];
  const skipped = Math.max(0, head - contextLines);
  const edits = [
    ...a.slice(skipped, head).map(unchanged),
    ...shortestEdits(a.slice(head, endOfA), b.slice(head, endOfB)),
    ...a.slice(endOfA, endOfA + contextLines).map(unchanged),
  ];
  return hunks(edits, skipped);
}

const unchanged = (line: string): Edit => ({ sign: ' ', line });

/** Lines without their line feed; a last line without one is marked as in diffs of git. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** Finds the shortest edit script (Myers, "An O(ND) Difference Algorithm"). */
function shortestEdits(a: readonly string[], b: readonly string[]): Edit[] {
  const most = Math.min(a.length + b.length, maxSteps);
  /** The furthest line of `a` on each diagonal, from `-most - 1` on. */
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trace: Int32Array[] = [];
  for (let steps = 0; steps <= most; steps += 1) {
    trace.push(reach.slice());
    for (let k = -steps; k <= steps; k += 2) {
      const at = middle + k;
      let x = isInsertion(reach, at, k, steps) ? (reach[at + 1] as number) : (reach[at - 1] as number) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[at] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trace, middle);
    }
  }
  return [...a.map((line): Edit => ({ sign: '-', line })), ...b.map((line): Edit => ({ sign: '+', line }))];
}

/** True if the furthest path to diagonal `k` ends with an inserted line, else with a deleted one. */
const isInsertion = (reach: Int32Array, at: number, k: number, steps: number): boolean =>
  k === -steps || (k !== steps && (reach[at - 1] as number) < (reach[at + 1] as number));

function backtrack(a: readonly string[], b: readonly string[], trace: readonly Int32Array[], middle: number): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let y = b.length;
  for (let steps = trace.length - 1; steps >= 0; steps -= 1) {
    const reach = trace[steps] as Int32Array;
    const at = middle + x - y;
    const isInserted = isInsertion(reach, at, x - y, steps);
    const from = isInserted ? at + 1 : at - 1;
    const fromX = reach[from] as number;
    const fromY = fromX - (from - middle);
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      edits.push(unchanged(a[x] ?? ''));
    }
    if (steps === 0) break;
    if (isInserted) edits.push({ sign: '+', line: b[(y -= 1)] ?? '' });
    else edits.push({ sign: '-', line: a[(x -= 1)] ?? '' });
  }
  return edits.toReversed();
}

/** @param skipped number of unchanged lines before the edits */
function hunks(edits: readonly Edit[], skipped: number): string {
  const changed = edits.flatMap(({ sign }, i) => (sign === ' ' ? [] : [i]));
  const start = { old: skipped, new: skipped, at: 0 };
  let out = '';
  for (let i = 0; i < changed.length; ) {
    const first = changed[i] ?? 0;
    let last = first;
    while (i < changed.length && (changed[i] ?? 0) <= last + 2 * contextLines) last = changed[i++] ?? last;
    const from = Math.max(0, first - contextLines);
    // Between hunks all lines are unchanged.
    start.old += from - start.at;
    start.new += from - start.at;
    const part = edits.slice(from, last + contextLines + 1);
    const size = { old: sizeWithout('+', part), new: sizeWithout('-', part) };
    const lines = part.map(({ sign, line }) => `${sign}${line}\n`).join('');
    out += `@@ -${rangeOf(start.old, size.old)} +${rangeOf(start.new, size.new)} @@\n${lines}`;
    start.old += size.old;
    start.new += size.new;
    start.at = from + part.length;
  }
  return out;
}

const sizeWithout = (other: '-' | '+', part: readonly Edit[]): number => part.filter(({ sign }) => sign !== other).length;

/** A range without lines names the line before it. */
const rangeOf = (before: number, size: number): string => `${before + (size === 0 ? 0 : 1)},${size}`;
