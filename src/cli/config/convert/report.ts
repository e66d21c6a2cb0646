import { type Diagnostic, isError } from '../../../config/report/diagnostic.ts';
import { printable } from '../../../core/text/printable.ts';
import { countDiagnostics, prettyDiagnostics } from '../../diagnostics.ts';
import { type CliIo, type CliStream, hasColors } from '../../io.ts';
import { padEnd } from '../../text.ts';
import type { Note } from './notes.ts';
import type { Variable } from './variables.ts';

export interface ConversionResult {
  readonly mapped: string;
  readonly notes: readonly Note[];
  readonly variables: readonly Variable[];
  readonly diagnostics: readonly Diagnostic[];
  /** File that was written; null if none was. */
  readonly file: string | null;
  /** File with tests of the routes; null if none was written. */
  readonly testFile: string | null;
  /** File with tests of an earlier conversion that was removed because there are no new ones; null if there was none. */
  readonly removed: string | null;
}

/** Most locations of one note that are shown. */
const maxLocations = 4;

/** The report for people: one line a finding, then the result of the check. */
export function resultText(result: ConversionResult, stream: CliStream, io: CliIo): string {
  const { mapped, notes, variables, diagnostics, file, testFile, removed } = result;
  const problems = prettyDiagnostics(diagnostics, { colors: hasColors(stream, io) });
  const rows = [
    ['mapped', mapped],
    ...notes.map(({ kind, path, text, places }) => [kind, `${path}: ${text}   ${locationsText(places)}`]),
    ...variableRows(variables),
  ];
  const lines = rows.map(([label = '', text = '']) => `${padEnd(label, 12)}${printable(text)}\n`);
  const isOk = !diagnostics.some(isError);
  const count = countDiagnostics(diagnostics);
  const check = isOk ? `ok${count === '' ? '' : `, ${count}`}` : count;
  const files = [file, testFile].filter((name) => name !== null).map(printable);
  const wrote = files.length === 0 ? '' : `wrote ${files.join(' and ')} · `;
  const removal = removed === null ? '' : `removed ${printable(removed)}: no route can be tested · `;
  return `${lines.join('')}${problems === '' ? '' : `\n${problems}\n\n`}${wrote}${removal}check: ${check}\n`;
}

function locationsText(places: readonly string[]): string {
  const more = places.length - maxLocations;
  return [...places.slice(0, maxLocations), ...(more > 0 ? [`… and ${more} more`] : [])].join(', ');
}

/** Variables of the same kind and origin are on one line. */
function variableRows(variables: readonly Variable[]): string[][] {
  const lines = new Map<string, { label: string; origin: string; names: string[] }>();
  for (const one of variables) {
    const label = one.isSecret ? 'secrets' : 'settings';
    const origin = originText(one);
    const line = lines.get(label + origin) ?? { label, origin, names: [] };
    line.names.push(one.name);
    lines.set(label + origin, line);
  }
  return [...lines.values()].map(({ label, origin, names }) => [label, `${names.join(', ')} (${origin})`]);
}

const origins: Readonly<Record<Variable['origin'], string>> = {
  reference: 'from os.environ/…',
  literal: 'replaces a value of the source: set it to that value',
  default: 'read there by default',
  needed: 'not in the source: set it',
};

const originText = ({ origin, note }: Variable): string => (note === undefined ? origins[origin] : `${origins[origin]}; ${note}`);

/** The report for programs. */
export function resultJson({ mapped, notes, variables, diagnostics, file, testFile, removed }: ConversionResult): object {
  const shown = (kind: Note['kind']): object[] =>
    notes.filter((one) => one.kind === kind).map(({ path, text, places }) => ({ path, text, places }));
  return {
    file,
    test_file: testFile,
    removed_file: removed,
    mapped,
    different: shown('different'),
    not_mapped: shown('not mapped'),
    variables: variables.map(({ name, isSecret, origin, note }) => ({ name, secret: isSecret, origin, note: note ?? null })),
    check: { ok: !diagnostics.some(isError), diagnostics },
  };
}
