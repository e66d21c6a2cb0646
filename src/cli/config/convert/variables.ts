import { type Node, textOf, traverse } from '../../../config/read/node.ts';

/** An environment variable that the result needs. */
export interface Variable {
  readonly name: string;
  /** False for a setting that is not secret, such as a region. */
  readonly isSecret: boolean;
  /** reference: the source names it. literal: replaces a value of the source. default: read there without being named. */
  readonly origin: 'reference' | 'literal' | 'default' | 'needed';
  /** How to get the value, if it is not obvious. */
  readonly note: string | undefined;
  /** A value of the right form for checking the result; the real one is not needed for that. */
  readonly sample: string;
}

const sampleKey = 'placeholder-key-0123456789';

/** The variable in a reference of LiteLLM: `os.environ/NAME`. */
const referenced = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/;

/** Text as it is, also where it looks like a reference of the gateway. */
export const escaped = (text: string): string => text.replaceAll('${', () => '$${');

/** Replaces secrets of the source by references. Values of the source are never kept in a result. */
export class Variables {
  readonly #found = new Map<string, Variable>();
  readonly #names: Set<string>;
  /** Literal value → its variable. */
  readonly #literals = new Map<string, string>();

  /** @param roots whose references are read first, so that no literal gets the name of another variable */
  constructor(roots: readonly Node[]) {
    this.#names = new Set();
    for (const root of roots)
      traverse(root, (node) => {
        const name = referenced.exec(textOf(node) ?? '')?.[1];
        if (name !== undefined) this.#names.add(name);
        return true;
      });
  }

  all(): readonly Variable[] {
    return [...this.#found.values()];
  }

  /** A reference for a secret. @param wanted name of the variable for a literal */
  secret(text: string, wanted: string, sample = sampleKey): string {
    const name = referenced.exec(text)?.[1];
    if (name !== undefined) return this.#add({ name, origin: 'reference', note: undefined, isSecret: true, sample });
    const known = this.#literals.get(text);
    if (known !== undefined) return `\${env:${known}}`;
    const free = this.#freeName(wanted);
    this.#literals.set(text, free);
    return this.#add({ name: free, origin: 'literal', note: undefined, isSecret: true, sample });
  }

  /** A setting that is not secret: a reference, otherwise the text itself. */
  setting(text: string, sample: string): string {
    const name = referenced.exec(text)?.[1];
    return name === undefined ? escaped(text) : this.#add({ name, origin: 'reference', note: undefined, isSecret: false, sample });
  }

  /** A variable that the other gateway reads without being told. */
  byDefault(name: string, sample = sampleKey): string {
    return this.#add({ name, origin: 'default', note: undefined, isSecret: sample === sampleKey, sample });
  }

  /** A variable whose value the source does not contain. */
  needed(name: string, note: string, sample: string, isSecret = true): string {
    return this.#add({ name: this.#freeName(name), origin: 'needed', note, isSecret, sample });
  }

  #add(variable: Variable): string {
    this.#names.add(variable.name);
    if (!this.#found.has(variable.name)) this.#found.set(variable.name, variable);
    return `\${env:${variable.name}}`;
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#names.has(name); n += 1) name = `${wanted}_${n}`;
    this.#names.add(name);
    return name;
  }
}
