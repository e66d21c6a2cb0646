/** Maximum number of lines shown. */
const maxLines = 400;

/** Returns the block that starts at this line of a YAML file: the line and all following lines with deeper indentation. */
export function snippetAt(lines: readonly string[], line: number): string {
  const first = lines[line - 1];
  if (first === undefined) return '';
  const depth = indentOf(first);
  let end = line;
  while (end < lines.length && end - line < maxLines && belongs(lines[end] ?? '', depth)) end += 1;
  const own = lines.slice(line - 1, end);
  while (own.length > 1 && isBetween(own.at(-1) ?? '', depth)) own.pop();
  return own.map((one) => one.slice(Math.min(depth, indentOf(one)))).join('\n');
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const belongs = (line: string, depth: number): boolean => indentOf(line) > depth || isBetween(line, depth);
/** True for a line that belongs to the block only if a deeper line follows: it is empty, or a comment that is not indented. */
const isBetween = (line: string, depth: number): boolean =>
  line.trim() === '' || (indentOf(line) <= depth && line.trimStart().startsWith('#'));
