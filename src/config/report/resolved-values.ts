import type { SourceFile, SourceLocation } from '../read/node.ts';
import { KnownTextRedactor } from './known-text-redactor.ts';
import type { Problem } from './problem.ts';

/** In characters. Shorter values could occur in any message by chance. */
const minLength = 8;

/** Values of references by the line that has them. Messages must not show them: any of them may be a secret. */
export class ResolvedValues {
  readonly #lines = new Map<SourceFile, Map<number, Set<string>>>();

  add(at: SourceLocation, value: string): void {
    const lines = this.#lines.get(at.file) ?? new Map<number, Set<string>>();
    const values = lines.get(at.line) ?? new Set<string>();
    this.#lines.set(at.file, lines.set(at.line, values));
    // Messages show a value of several lines as one line, without its indentation.
    for (const part of value.split('\n')) if (part.trim().length >= minLength) values.add(part.trim());
  }

  /** Problems without the values of their lines, even where only the beginning of a value is shown. */
  redact(problems: readonly Problem[]): readonly Problem[] {
    const known = new Map<Set<string>, KnownTextRedactor>();
    return problems.map((problem) => {
      const values = this.#lines.get(problem.at.file)?.get(problem.at.line);
      // A value of the wrong type or form is shown as its reference already.
      if (values === undefined || problem.code === 'wrong-type') return problem;
      const texts = known.get(values) ?? new KnownTextRedactor(values);
      known.set(values, texts);
      const shown = (text: string | undefined): string | undefined => (text === undefined ? undefined : texts.redact(text));
      return { ...problem, message: texts.redact(problem.message), hint: shown(problem.hint), note: shown(problem.note) };
    });
  }
}
