/** A class of Unicode characters (`\p{L}`) uses as much memory as this many steps. */
const unicodeClass = 20;

/** Size of a group so far, and of its last part, which a following repetition multiplies. */
interface Group {
  size: number;
  last: number;
}

/**
 * Upper estimate of the number of steps that a pattern compiles to: repetitions are copies, and nested repetitions
 * multiply. Scans the pattern once and compiles nothing.
 */
export function sizeOfPattern(pattern: string): number {
  const open: Group[] = [];
  let group: Group = { size: 3, last: 0 };
  for (let at = 0; at < pattern.length; at += 1) {
    const c = pattern.charAt(at);
    if (c === '(') {
      open.push(group);
      group = { size: 2, last: 0 };
    } else if (c === ')') {
      const { size } = group;
      group = open.pop() ?? group;
      add(group, size);
    } else if (c === '|') {
      // An empty alternative is a step too.
      add(group, 2);
      group.last = 0;
    } else if (c === '*' || c === '+' || c === '?') grow(group, group.last + 2);
    else if (c === '{') at += repetition(group, pattern.slice(at, at + 24));
    else if (c === '[') at += characterClass(group, pattern, at);
    else if (c === '\\') at += escape(group, pattern, at);
    else add(group, 1);
  }
  return open.reduce((sum, { size }) => sum + size, group.size);
}

function add(group: Group, size: number): void {
  group.size += size;
  group.last = size;
}

/** Changes the size of the last part of a group. */
function grow(group: Group, size: number): void {
  group.size += size - group.last;
  group.last = size;
}

/** Handles `{2}`, `{2,}` and `{2,3}`. Returns how many characters follow the first one. Anything else in braces is literal text. */
function repetition(group: Group, text: string): number {
  const [whole, least, comma, most] = /^\{(\d{1,9})(,)?(\d{0,9})\}/.exec(text) ?? [];
  if (whole === undefined) {
    add(group, 1);
    return 0;
  }
  const from = Number(least);
  const to = comma === undefined ? from : most === '' ? from + 1 : Number(most);
  // Optional copies take up to two more steps each.
  grow(group, from * group.last + Math.max(0, to - from) * (group.last + 2) + 1);
  return whole.length - 1;
}

function characterClass(group: Group, pattern: string, start: number): number {
  let at = start + 1;
  if (pattern.charAt(at) === '^') at += 1;
  if (pattern.charAt(at) === ']') at += 1;
  let size = 1;
  for (; at < pattern.length && pattern.charAt(at) !== ']'; at += 1) {
    if (pattern.charAt(at) === '\\') {
      at += 1;
      if (/[pP]/.test(pattern.charAt(at))) size += unicodeClass;
    } else if (pattern.startsWith('[:', at)) at = Math.max(at, pattern.indexOf(':]', at) + 1);
    size += 1 / 8;
  }
  add(group, Math.ceil(size));
  return at - start;
}

function escape(group: Group, pattern: string, start: number): number {
  const c = pattern.charAt(start + 1);
  const isUnicode = c === 'p' || c === 'P';
  add(group, isUnicode ? unicodeClass : 1);
  const isBraced = (isUnicode || c === 'x') && pattern.charAt(start + 2) === '{';
  const end = isBraced ? pattern.indexOf('}', start) : -1;
  return end < 0 ? 1 : end - start;
}
