import { other } from './series.ts';

/** Values of one label. */
const most = 100;
/** Values that only failed requests had: they must leave places for those that work. */
const mostUnproven = 50;
/** Characters of a value. */
const longest = 128;

/** The values that each label has had: a caller can send any model name, and each would be a series for ever. */
export class LabelValues {
  readonly #seen = new Map<string, Set<string>>();
  /** A value was turned away that may be let in later. */
  isProvisional = false;
  /** Names of models and metadata are what a caller writes: one that is a secret of the configuration is masked. */
  mask: (text: string) => string;

  constructor(mask: (text: string) => string) {
    this.mask = mask;
  }

  /** The value, or `other`. @param isProven seen in a request that a provider answered, or written in the configuration */
  of(label: string, value: string | null | undefined, isProven = true): string {
    if (value === null || value === undefined || value === '') return none;
    const seen = this.#of(label);
    if (seen.has(value)) return value;
    // Half of a surrogate pair is written as U+FFFD: two of them would be one series twice, and Prometheus keeps one of these.
    const text = this.mask(value).slice(0, longest).toWellFormed();
    if (seen.has(text)) return text;
    if (seen.size >= most) return other;
    if (!isProven && seen.size >= mostUnproven) {
      this.isProvisional = true;
      return other;
    }
    seen.add(text);
    return text;
  }

  #of(label: string): Set<string> {
    const known = this.#seen.get(label);
    if (known !== undefined) return known;
    const made = new Set<string>();
    this.#seen.set(label, made);
    return made;
  }
}

/** The value of a label that a request has nothing for. */
const none = '-';
