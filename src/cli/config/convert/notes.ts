import type { SourceLocation } from '../../../config/read/node.ts';

/** A part of the source that has another effect here, or none. */
export interface Note {
  readonly kind: 'different' | 'not mapped';
  /** Path in the source, without indexes: `model_list[].litellm_params.rpm`. */
  readonly path: string;
  /** What differs, or why it is not mapped and what to do. Never contains a value of the source that may be secret. */
  readonly text: string;
  /** `file:line`, in the order of the source. */
  readonly places: readonly string[];
}

/** Collects what a conversion could not map exactly. Equal notes are shown once, with all their places. */
export class Notes {
  readonly #notes = new Map<string, { note: Omit<Note, 'places'>; places: Set<string> }>();

  different(path: string, at: SourceLocation, text: string): void {
    this.#add('different', path, at, text);
  }

  unmapped(path: string, at: SourceLocation, text: string): void {
    this.#add('not mapped', path, at, text);
  }

  /** All notes; those of one kind together. */
  all(): readonly Note[] {
    const notes = [...this.#notes.values()].map(({ note, places }): Note => ({ ...note, places: [...places] }));
    return (['different', 'not mapped'] as const).flatMap((kind) => notes.filter((one) => one.kind === kind));
  }

  #add(kind: Note['kind'], path: string, at: SourceLocation, text: string): void {
    const key = JSON.stringify([kind, path, text]);
    const known = this.#notes.get(key) ?? { note: { kind, path, text }, places: new Set() };
    known.places.add(`${at.file.name}:${at.line}`);
    this.#notes.set(key, known);
  }
}
