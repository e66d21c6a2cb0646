import { sha256 } from '../../../core/secrets/sha256.ts';
import type { JsonSchema } from '../../../core/json/schema.ts';
import { withNotes } from '../../schema/join.ts';
import type { createAjv, ValidateFunction } from './ajv.ts';
import { compiledSchemas } from './in-package.ts';

/** The name under which the package contains a compiled schema. A changed schema has another name. */
export const compiledName = (schema: JsonSchema): string => sha256(JSON.stringify(schema)).slice(0, 16);

/**
 * Compiled schemas by their owner: a list, provider or plugin. The package contains those of the gateway, its providers
 * and plugins; any other is compiled, which is most of the work of a load, so keep one instance for several loads.
 */
export class Validators {
  #ajv: ReturnType<typeof createAjv> | undefined;
  readonly #compiled = new WeakMap<object, ValidateFunction>();
  readonly #builtInOwners: ReadonlySet<object>;
  readonly #precompiled: typeof compiledSchemas;

  /**
   * @param builtInOwners owners of built-in schemas, which tests validate and loads do not
   * @param precompiled compiled schemas of the package
   */
  constructor(builtInOwners: Iterable<object> = [], precompiled = compiledSchemas) {
    this.#builtInOwners = new Set(builtInOwners);
    this.#precompiled = precompiled;
  }

  /**
   * @param schema makes the schema of `owner` if it is not compiled yet
   * @throws Error when it is not a valid schema
   */
  async of(owner: object, schema: () => JsonSchema): Promise<ValidateFunction> {
    const known = this.#compiled.get(owner);
    if (known !== undefined) return known;
    const made = withNotes(schema()) as JsonSchema & object;
    const compiled = (await this.#precompiled[compiledName(made)]?.()) ?? (await this.#compile(owner, made));
    this.#compiled.set(owner, compiled);
    return compiled;
  }

  async #compile(owner: object, schema: JsonSchema & object): Promise<ValidateFunction> {
    this.#ajv ??= (await import('./ajv.ts')).createAjv();
    if (!this.#builtInOwners.has(owner)) void this.#ajv.validateSchema(schema, true);
    return this.#ajv.compile(schema);
  }
}
