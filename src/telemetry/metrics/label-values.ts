import { other } from './series.ts';

/** Maximum number of values per label. */
const maxValues = 100;
/** Maximum number of values seen only in failed requests, so that values of successful requests still fit. */
const maxUnproven = 50;
/** Maximum length of a value in characters. */
const maxLength = 128;

/** The values seen for each label, limited in number. A caller can send any model name, and each would create a series permanently. */
export class LabelValues {
  readonly #seen = new Map<string, Set<string>>();
  /** True if a value was rejected that could be accepted later. */
  isProvisional = false;
  /** Masks secrets: model names and metadata are the caller's values and may contain a secret of the configuration. */
  mask: (text: string) => string;

  constructor(mask: (text: string) => string) {
    this.mask = mask;
  }

  /** Returns the value, or `other`. @param isProven true if seen in a successful request, or set in the configuration */
  of(label: string, value: string | null | undefined, isProven = true): string {
    if (value === null || value === undefined || value === '') return notApplicable;
    const seen = this.#of(label);
    if (seen.has(value)) return value;
    // A lone surrogate is written as U+FFFD. Two values that differ only there would be the same series twice, and Prometheus keeps
    // only one.
    const text = this.mask(value).slice(0, maxLength).toWellFormed();
    if (seen.has(text)) return text;
    if (seen.size >= maxValues) return other;
    if (!isProven && seen.size >= maxUnproven) {
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

/** Value of a label that does not apply to a request. */
const notApplicable = '-';
