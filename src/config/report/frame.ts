import { type Diagnostic, diagnosticCodes, type Frame } from './diagnostic.ts';
import type { SourceFile } from '../read/node.ts';
import { isWindowLimit } from '../../core/limits/caller-limits.ts';
import { nearest } from '../../core/text/nearest.ts';
import { allVariants } from '../../core/secrets/mask.ts';
import { isNearSecretName } from '../../core/secrets/credential-names.ts';
import { KnownTextRedactor } from './known-text-redactor.ts';
import { type Problem, type ProblemReporter, toDiagnostic } from './problem.ts';

/** Makes diagnostics from problems: removes silenced warnings and adds the source lines to show. */
export function withFrames(problems: readonly Problem[], secrets: Iterable<string>): Diagnostic[] {
  const lines = [...secrets].flatMap((secret) => secret.split(/\r?\n/));
  const secretTexts = new KnownTextRedactor(lines);
  let quotable: KnownTextRedactor | undefined;
  const withoutSecrets = (message: string): string => (quotable ??= quotableTexts(lines, secrets)).redact(message);
  const shown = createProblemRedactor();
  return problems.flatMap((problem) => {
    // A message of a plugin's code may quote a setting, also in the form in which it was sent.
    const diagnostic = toDiagnostic(
      shown(problem.code === 'bad-plugin' ? { ...problem, message: withoutSecrets(problem.message) } : problem),
    );
    if (diagnostic.severity === 'warning' && isSilenced(problem)) return [];
    const frame = frameOf(problem, secretTexts);
    return [frame === undefined ? diagnostic : { ...diagnostic, frame }];
  });
}

/** In characters. Shorter secrets could occur in any message by chance. */
const minLongSecretLength = 8;

const quotableTexts = (lines: readonly string[], secrets: Iterable<string>): KnownTextRedactor =>
  new KnownTextRedactor([...lines, ...allVariants([...secrets])].filter(({ length }) => length >= minLongSecretLength));

/** Codes whose messages quote the file before it is known whether the text is a secret. */
const quotingCodes: ReadonlySet<Problem['code']> = new Set(['yaml-syntax', 'unknown-key', 'missing-key']);

/**
 * Removes the secrets of its line from a problem: `api_key:sk-…` without a space is read as a key, and `*…` as an alias.
 * Each line is scanned once, however many problems it has.
 */
export function createProblemRedactor(): (problem: Problem) => Problem {
  const known = new Map<string, KnownTextRedactor>();
  return (problem) => {
    const line = problem.at.file.lines[problem.at.line - 1] ?? '';
    const secrets = quotingCodes.has(problem.code) ? (known.get(line) ?? secretsIn(line)) : nothing;
    if (secrets !== nothing) known.set(line, secrets);
    const shown = (text: string): string => secrets.redact(text).replace(issuedKey, '…');
    return {
      ...problem,
      message: shown(problem.message),
      hint: problem.hint === undefined ? undefined : shown(problem.hint),
      note: problem.note === undefined ? undefined : shown(problem.note),
    };
  };
}

function secretsIn(line: string): KnownTextRedactor {
  const hidden = [...maskLine(line, nothing).matchAll(/\*+/g)].map(({ 0: { length }, index }) =>
    line.slice(index, index + length).replace(/^[@*&"']+/, ''),
  );
  return new KnownTextRedactor(hidden.filter((secret) => !/^\*+$/.test(secret)));
}

const nothing = new KnownTextRedactor([]);

/** The words after `# gateway-ignore:`; none for another line. */
const ignoredWords = (line: string): readonly string[] => /^\s*#\s*gateway-ignore:\s*(.+)$/.exec(line)?.[1]?.split(/[\s,]+/) ?? [];

/** True if a comment line directly above contains `# gateway-ignore: code, code`. */
function isSilenced({ code, at }: Problem): boolean {
  for (let line = at.line - 2; line >= 0; line -= 1) {
    const text = at.file.lines[line] ?? '';
    if (!text.trimStart().startsWith('#')) return false;
    if (ignoredWords(text).includes(code)) return true;
  }
  return false;
}

/** Reports unknown codes behind `# gateway-ignore:`. Words that resemble no code are a remark, unless they come first. */
export function reportUnknownIgnores(files: readonly SourceFile[], report: ProblemReporter): void {
  for (const file of files)
    file.lines.forEach((line, i) => {
      for (const [at, code] of ignoredWords(line).entries()) {
        const similar = nearest(code, Object.keys(diagnosticCodes));
        if (similar === code || (at > 0 && similar === undefined)) continue;
        const column = line.indexOf(code, line.indexOf(':')) + 1;
        report({
          code: 'never-used',
          at: { file, line: i + 1, column, endColumn: column + code.length, endLine: i + 1 },
          message: `"${code}" is not a code of a diagnostic, so it silences nothing`,
          hint: similar === undefined ? 'write the code that gateway check shows in brackets' : `did you mean "${similar}"?`,
        });
      }
    });
}

function frameOf({ at, show, code }: Problem, hidden: KnownTextRedactor): Frame | undefined {
  const { lines } = at.file;
  const line = lines[at.line - 1];
  if (show === 'none' || line === undefined || line.length > 400) return undefined;
  const above = show === 'above' ? lines[at.line - 2] : undefined;
  const shown = above === undefined || above.trim() === '' || above.length > 400 ? [line] : [above, line];
  const mask = code === 'yaml-syntax' ? maskBrokenLine : maskLine;
  return { first: at.line - shown.length + 1, lines: shown.map((one) => mask(one, hidden)) };
}

/** `key: value` up to the end of a line, where the value is neither a reference nor the start of a mapping, list or block. */
const blockPair = /^(\s*(?:-\s+)*(["']?)([\w-]+)\2\s*:\s+)(?!\$\{|[{[|>&*])(\S.*)$/;

/** `key: value` between braces, including JSON. A key is tried from its first character only: a long word would take quadratic time. */
const flowPair = /(["']?)(?<![\w-])([\w-]+)\1(\s*:\s+|:)("(?:[^"\\]|\\.)*"|'[^']*'|(?!\$\{)[^\s,{}[\]"'#][^,{}[\]#]*)/g;

/** A line that lacks only its colon. */
const pairWithoutColon = /^(\s*(?:-\s+)*([\w-]+)\s+)(\S+)\s*$/;

/** Keys with the prefix of a known issuer. */
const issuedKey = /\b(sk-|gw_live_|gw_test_|AIza|AKIA|gh[pousr]_|xai-)[A-Za-z0-9_-]{8,}/g;

/** Masks known secrets, and the values of secret keys. Lengths are kept, so that the caret stays in place. */
function maskLine(line: string, hidden: KnownTextRedactor): string {
  const known = hidden.mask(line);
  const block = known.replace(blockPair, (whole, before: string, _quote, key: string, value: string) =>
    isSecretPair(key, value) ? before + maskValue(value) : whole,
  );
  const flow = block.replace(flowPair, (whole, _quote, key: string, _colon, value: string) =>
    isSecretPair(key, value) ? whole.slice(0, whole.length - value.length) + maskValue(value) : whole,
  );
  const glued = flow.replace(pairWithoutColon, (whole, before: string, key: string, value: string) =>
    isNearSecretName(key) && !value.includes('${') ? before + stars(value) : whole,
  );
  return glued.replace(issuedKey, stars);
}

/** False for a reference, and for a limit of tokens. */
const isSecretPair = (key: string, value: string): boolean =>
  isNearSecretName(key) && !/^["']\$\{/.test(value) && !isWindowLimit(value.trim().replace(/^(["'])(.*)\1$/, '$2'));

/** The same for a line that is not YAML: where a secret value ends is unknown, so everything after its key is masked. */
function maskBrokenLine(line: string, hidden: KnownTextRedactor): string {
  const masked = maskLine(line, hidden);
  for (const { 0: pair, 1: key = '', index } of line.matchAll(/(?<![\w-])([\w-]+)["']?\s*:\s*/g)) {
    const from = index + pair.length;
    if (isNearSecretName(key) && !/^["']?\$\{/.test(line.slice(from))) return masked.slice(0, from) + stars(line.slice(from));
  }
  return masked;
}

function maskValue(value: string): string {
  const quote = /^(["'])(?=.*\1$)/.exec(value)?.[1] ?? '';
  return quote === '' || value.length === 1
    ? stars(value.trimEnd()) + value.slice(value.trimEnd().length)
    : `${quote}${stars(value.slice(1, -1))}${quote}`;
}

const stars = (text: string): string => '*'.repeat(text.length);
