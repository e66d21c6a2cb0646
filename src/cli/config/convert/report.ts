import type { Diagnostic } from '../../../config/report/diagnostic.ts';
import { printable } from '../../../core/text/printable.ts';
import { countDiagnostics, prettyDiagnostics } from '../../diagnostics.ts';
import { type CliIo, type CliStream, hasColors } from '../../io.ts';
import { padEnd } from '../../text.ts';
import type { Note } from './notes.ts';
import type { Variable } from './variables.ts';

export interface Result {
  readonly mapped: string;
  readonly notes: readonly Note[];
  readonly variables: readonly Variable[];
  readonly diagnostics: readonly Diagnostic[];
  /** File that was written; null if none was. */
  readonly file: string | null;
}

/** Most places of one note that are shown. */
const mostPlaces = 4;

/** The report for people: one line a finding, then the result of the check. */
export function resultText(result: Result, stream: CliStream, io: CliIo, color: boolean | undefined): string {
  const { mapped, notes, variables, diagnostics, file } = result;
  const problems = prettyDiagnostics(diagnostics, { colors: hasColors(stream, io.env, color) });
  const rows = [
    ['mapped', mapped],
    ...notes.map(({ kind, path, text, places }) => [kind, `${path}: ${text}   ${placesText(places)}`]),
    ...variables.map((one) => ['secrets', `${one.name} (${originText(one)})`]),
  ];
  const lines = rows.map(([label = '', text = '']) => `${padEnd(label, 12)}${printable(text)}\n`);
  const isOk = !diagnostics.some(({ severity }) => severity === 'error');
  const count = countDiagnostics(diagnostics);
  const check = isOk ? `ok${count === '' ? '' : `, ${count}`}` : count;
  return `${lines.join('')}${problems === '' ? '' : `\n${problems}\n\n`}${file === null ? '' : `wrote ${printable(file)} · `}check: ${check}\n`;
}

function placesText(places: readonly string[]): string {
  const more = places.length - mostPlaces;
  return [...places.slice(0, mostPlaces), ...(more > 0 ? [`… and ${more} more`] : [])].join(', ');
}

const origins: Readonly<Record<Variable['origin'], string>> = {
  reference: 'the source names it',
  literal: 'replaces a value that the source contains: set it to that value',
  default: 'read there by default',
  needed: 'not in the source',
};

const originText = ({ origin, note }: Variable): string => (note === undefined ? origins[origin] : `${origins[origin]}; ${note}`);

/** The report for programs. */
export function resultJson({ mapped, notes, variables, diagnostics, file }: Result): object {
  const shown = (kind: Note['kind']): object[] =>
    notes.filter((one) => one.kind === kind).map(({ path, text, places }) => ({ path, text, places }));
  return {
    file,
    mapped,
    different: shown('different'),
    not_mapped: shown('not mapped'),
    secrets: variables.map(({ name, origin, note }) => ({ name, origin, note: note ?? null })),
    check: { ok: !diagnostics.some(({ severity }) => severity === 'error'), diagnostics },
  };
}
