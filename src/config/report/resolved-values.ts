import type { SourceFile, SourceLocation } from '../read/node.ts';
import { KnownTexts } from './known-texts.ts';
import type { Problem } from './problem.ts';

/** In characters. Shorter values could occur in any message by chance. */
const shortest = 8;

/** Values of references by the line that has them. Messages must not show them: any of them may be a secret. */
export class ResolvedValues {
  readonly #lines = new Map<SourceFile, Map<number, string[]>>();
  readonly #known = new Map<readonly string[], KnownTexts>();

  add(at: SourceLocation, value: string): void {
    // Messages show a value of several lines as one line, without its indentation.
    const parts = value.split('\n').flatMap((line) => (line.trim().length < shortest ? [] : [line.trim()]));
    const lines = this.#lines.get(at.file) ?? new Map<number, string[]>();
    this.#lines.set(at.file, lines.set(at.line, [...(lines.get(at.line) ?? []), ...parts]));
  }

  /** The problem without the values of its line, even where only their beginning is shown. */
  hide(problem: Problem): Problem {
    const values = this.#lines.get(problem.at.file)?.get(problem.at.line);
    // A value of the wrong type or form is shown as its reference already.
    if (values === undefined || values.length === 0 || problem.code === 'wrong-type') return problem;
    const known = this.#known.get(values) ?? new KnownTexts(values);
    this.#known.set(values, known);
    const shown = (text: string | undefined): string | undefined => (text === undefined ? undefined : known.cut(text));
    return { ...problem, message: known.cut(problem.message), hint: shown(problem.hint), note: shown(problem.note) };
  }
}
