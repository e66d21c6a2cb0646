/** A class of Unicode characters (`\p{L}`) takes as much memory as so many steps. */
const unicodeClass = 20;

/** What was read of one group: its size, and that of its last part, which a repetition multiplies. */
interface Group {
  size: number;
  last: number;
}

/**
 * About how many steps a pattern compiles to, and never fewer: repetitions are copies, and repetitions of groups multiply.
 * Reads the pattern once and compiles nothing.
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
      // An empty alternative is a step of its own.
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

/** The last part is of this size now. */
function grow(group: Group, size: number): void {
  group.size += size - group.last;
  group.last = size;
}

/** `{2}`, `{2,}`, `{2,3}`; gives how many characters follow the first. Anything else in braces is text. */
function repetition(group: Group, text: string): number {
  const [whole, least, comma, most] = /^\{(\d{1,9})(,)?(\d{0,9})\}/.exec(text) ?? [];
  if (whole === undefined) {
    add(group, 1);
    return 0;
  }
  const from = Number(least);
  const to = comma === undefined ? from : most === '' ? from + 1 : Number(most);
  // Copies that may be left out take up to two steps more.
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
