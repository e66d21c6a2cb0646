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
  return before === after ? '' : hunks(editsOf(linesOf(before), linesOf(after)));
}

/** Lines without their line feed; a last line without one is marked as in diffs of git. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** Skips the common beginning and end, and finds the shortest edit script of the rest (Myers). */
function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const same = (line: string): Edit => ({ sign: ' ', line });
  return [
    ...a.slice(0, head).map(same),
    ...shortestEdits(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
}

function shortestEdits(a: readonly string[], b: readonly string[]): Edit[] {
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let steps = 0; steps <= Math.min(a.length + b.length, maxSteps); steps += 1) {
    trace.push(new Map(reach));
    const next = new Map(reach);
    for (let k = -steps; k <= steps; k += 2) {
      const down = k === -steps || (k !== steps && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trace);
    }
    reach = next;
  }
  return [...a.map((line): Edit => ({ sign: '-', line })), ...b.map((line): Edit => ({ sign: '+', line }))];
}

function backtrack(a: readonly string[], b: readonly string[], trace: readonly Map<number, number>[]): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let y = b.length;
  for (let steps = trace.length - 1; steps >= 0; steps -= 1) {
    const reach = trace[steps] ?? new Map<number, number>();
    const k = x - y;
    const down = k === -steps || (k !== steps && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const from = down ? k + 1 : k - 1;
    const fromX = reach.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      edits.push({ sign: ' ', line: a[x] ?? '' });
    }
    if (steps === 0) break;
    if (down) edits.push({ sign: '+', line: b[(y -= 1)] ?? '' });
    else edits.push({ sign: '-', line: a[(x -= 1)] ?? '' });
  }
  return edits.toReversed();
}

function hunks(edits: readonly Edit[]): string {
  const changed = edits.flatMap(({ sign }, i) => (sign === ' ' ? [] : [i]));
  let out = '';
  for (let i = 0; i < changed.length; ) {
    const first = changed[i] ?? 0;
    let last = first;
    while (i < changed.length && (changed[i] ?? 0) <= last + 2 * contextLines) last = changed[i++] ?? last;
    const from = Math.max(0, first - contextLines);
    const to = Math.min(edits.length, last + contextLines + 1);
    out += hunk(edits, from, to);
  }
  return out;
}

function hunk(edits: readonly Edit[], from: number, to: number): string {
  const before = edits.slice(0, from);
  const part = edits.slice(from, to);
  const count = (list: readonly Edit[], sign: '-' | '+'): number => list.filter((one) => one.sign === ' ' || one.sign === sign).length;
  const range = (sign: '-' | '+'): string => {
    const size = count(part, sign);
    return `${count(before, sign) + (size === 0 ? 0 : 1)},${size}`;
  };
  return `@@ -${range('-')} +${range('+')} @@\n${part.map(({ sign, line }) => `${sign}${line}\n`).join('')}`;
}
