import { Sums } from '../sums.ts';

/** Stands for the values that are not counted by name. */
export const rest = Symbol('rest');

/** A value; null for none. */
export type GroupName = string | null | typeof rest;

/** Figures by group and time step. */
export class Cells {
  readonly #cells = new Map<string, { readonly name: GroupName; readonly at: number; readonly sums: Sums }>();

  /** @param at start of the step in Unix milliseconds; 0 without steps */
  of(name: GroupName, at: number): Sums {
    const key = `${at} ${typeof name === 'string' ? `=${name}` : String(name)}`;
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = { name, at, sums: new Sums() };
      this.#cells.set(key, cell);
    }
    return cell.sums;
  }

  addAll(other: Cells): void {
    for (const { name, at, sums } of other.all()) this.of(name, at).addAll(sums);
  }

  all(): Iterable<{ readonly name: GroupName; readonly at: number; readonly sums: Sums }> {
    return this.#cells.values();
  }
}
