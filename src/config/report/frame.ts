import { type Diagnostic, diagnosticCodes, type Frame } from './diagnostic.ts';
import { isNearSecretName } from '../../core/secrets/credential-names.ts';
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

/** `key: value` to the end of a line, where the value is neither a reference nor the begin of a mapping, list or block. */
const blockPair = /^(\s*(?:-\s+)*(["']?)([\w-]+)\2\s*:\s+)(?!\$\{|[{[|>&*])(\S.*)$/;

/** `key: value` between braces, also as JSON. */
const flowPair = /(["']?)([\w-]+)\1(\s*:\s+|:)("(?:[^"\\]|\\.)*"|'[^']*'|(?!\$\{)[^\s,{}[\]"'#][^,{}[\]#]*)/g;

/** What issuers put before their keys. */
const issuedKey = /\b(sk-|gw_live_|gw_test_|AIza|AKIA|gh[pousr]_|xai-)[A-Za-z0-9_-]{8,}/g;

/** Hides known secrets, and what stands behind a key that is one. Lengths stay, so that the caret points right. */
function maskLine(line: string, hidden: readonly string[]): string {
  const known = hidden.reduce((text, secret) => text.replaceAll(secret, stars), line);
  const block = known.replace(blockPair, (whole, before: string, _quote, key: string, value: string) =>
    isNearSecretName(key) && !/^["']\$\{/.test(value) ? before + maskValue(value) : whole,
  );
  const flow = block.replace(flowPair, (whole, _quote, key: string, _colon, value: string) =>
    isNearSecretName(key) && !/^["']\$\{/.test(value) ? whole.slice(0, whole.length - value.length) + maskValue(value) : whole,
  );
  return flow.replace(issuedKey, stars);
}

function maskValue(value: string): string {
  const quote = /^(["'])(?=.*\1$)/.exec(value)?.[1] ?? '';
  return quote === '' || value.length === 1
    ? stars(value.trimEnd()) + value.slice(value.trimEnd().length)
    : `${quote}${stars(value.slice(1, -1))}${quote}`;
}

const stars = (text: string): string => '*'.repeat(text.length);
