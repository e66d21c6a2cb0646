import { type Diagnostic, diagnosticCodes, type Frame } from './diagnostic.ts';
import { isSecretKey } from './secrets.ts';
import { type Problem, toDiagnostic } from './problem.ts';

/** Makes diagnostics of problems: silenced warnings are taken out, the lines to show are put in. */
export function withFrames(problems: readonly Problem[], secrets: Iterable<string>): Diagnostic[] {
  const hidden = [...secrets].flatMap((secret) => secret.split(/\r?\n/)).filter((part) => part.length > 3);
  return problems.flatMap((problem) => {
    const diagnostic = toDiagnostic(problem);
    if (diagnostic.severity === 'warning' && isSilenced(problem)) return [];
    const frame = frameOf(problem, hidden);
    return [frame === undefined ? diagnostic : { ...diagnostic, frame }];
  });
}

/** `# gateway-ignore: code, code` in the comment lines right above. */
function isSilenced({ code, at }: Problem): boolean {
  for (let line = at.line - 2; line >= 0; line -= 1) {
    const text = at.file.lines[line]?.trim() ?? '';
    if (!text.startsWith('#')) return false;
    const codes = /^#\s*gateway-ignore:\s*(.*)$/.exec(text)?.[1];
    if (codes?.split(/[\s,]+/).some((one) => one === code && Object.hasOwn(diagnosticCodes, one)) === true) return true;
  }
  return false;
}

function frameOf({ at, show }: Problem, hidden: readonly string[]): Frame | undefined {
  const { lines } = at.file;
  const line = lines[at.line - 1];
  if (show === 'none' || line === undefined || line.length > 400) return undefined;
  const above = show === 'above' ? lines[at.line - 2] : undefined;
  const shown = above === undefined || above.trim() === '' || above.length > 400 ? [line] : [above, line];
  return { first: at.line - shown.length + 1, lines: shown.map((one) => maskLine(one, hidden)) };
}

/** Hides known secrets, and what stands behind a key that is one. Lengths stay, so that the caret points right. */
function maskLine(line: string, hidden: readonly string[]): string {
  let text = line;
  for (const secret of hidden) text = text.replaceAll(secret, stars);
  text = text.replace(
    /(["']?)([\w-]+)\1(\s*:\s+|:)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}[\]"'#][^,{}[\]#]*)/g,
    (whole, _quote, key: string, _colon, value: string) =>
      isSecretKey(key) && !/^["']?\$\{/.test(value) ? `${whole.slice(0, whole.length - value.length)}${maskValue(value)}` : whole,
  );
  return text.replace(/\b(sk-|gw_live_|gw_test_|AIza|AKIA|gh[pousr]_|xai-)[A-Za-z0-9_-]{8,}/g, stars);
}

function maskValue(value: string): string {
  const quote = /^["']/.exec(value)?.[0] ?? '';
  return quote === '' ? stars(value.trimEnd()) + value.slice(value.trimEnd().length) : `${quote}${stars(value.slice(1, -1))}${quote}`;
}

const stars = (text: string): string => '*'.repeat(text.length);
