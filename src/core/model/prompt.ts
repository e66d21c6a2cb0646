import { GatewayError } from '../error.ts';
import { isExactNumber, isJsonObject, type JsonObject } from '../json/merge.ts';
import { otherPaths } from './field-names.ts';
import { didYouMean, nearest } from '../text/nearest.ts';

/** Types of variables, with the names of JSON types. */
export type VariableType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** Declaration of a prompt's variable. */
export interface PromptVariable {
  /** Undefined: any JSON value. */
  readonly type: VariableType | undefined;
  readonly required: boolean;
  /** Undefined: none. */
  readonly default: unknown;
}

/** Identifies a version of a prompt. */
export interface Versioned {
  readonly id: string;
  readonly number: number;
}

/** A version of a stored prompt, with parsed templates. */
export interface PromptVersion extends Versioned {
  readonly model: string | undefined;
  /** Saved fields of the chat completion, without `messages`, `model` and `stream`. */
  readonly parameters: JsonObject;
  /** Name of the config that applies if the request itself chooses none. */
  readonly config: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** Variables declared here and in included prompts. */
  readonly variables: ReadonlyMap<string, PromptVariable>;
  /** Variables whose values the templates print, except inside a section of the same name. */
  readonly prints: ReadonlySet<string>;
  /** All variables that its templates read. */
  readonly reads: ReadonlySet<string>;
  /**
   * Renders the conversation with these values; roles, parts and their number never depend on a value.
   *
   * @throws GatewayError `body_too_large` if the texts exceed `most` characters
   */
  messages(values: JsonObject, most: number): readonly JsonObject[];
}

/** One prompt in `prompts:`. */
export interface StoredPrompt<V extends Versioned = PromptVersion> {
  readonly id: string;
  readonly published: V;
  readonly versions: ReadonlyMap<number, V>;
  readonly labels: ReadonlyMap<string, V>;
}

/** The version selected by a reference such as `welcome@production`. */
export interface ChosenPrompt<V extends Versioned = PromptVersion> {
  readonly version: V;
  /** The label in the reference; null if there is none. */
  readonly label: string | null;
}

/** Labels of every prompt: if not assigned, they refer to the published version. */
const standardLabels: readonly string[] = ['production', 'staging', 'development'];

/** `welcome@2`: name of a version in headers, records and messages. */
export const promptName = ({ id, number }: Versioned): string => `${id}@${number}`;

/** Splits `welcome@2` into the ID and the part after `@`. */
export function splitReference(reference: string): { readonly id: string; readonly suffix: string | undefined } {
  const at = reference.indexOf('@');
  return at < 0 ? { id: reference, suffix: undefined } : { id: reference.slice(0, at), suffix: reference.slice(at + 1) };
}

/** Maximum number of variables listed individually in warnings. */
const maxListedVariables = 8;

const always = (): boolean => true;

/**
 * Resolves `id`, `id@number`, `id@latest` or `id@label`.
 *
 * @param usable true for IDs that a message may suggest
 * @throws GatewayError `prompt_not_found`
 */
export function choosePrompt<V extends Versioned>(
  prompts: ReadonlyMap<string, StoredPrompt<V>>,
  reference: string,
  param?: string,
  usable: (id: string) => boolean = always,
): ChosenPrompt<V> {
  const { id, suffix } = splitReference(reference);
  const prompt = prompts.get(id);
  if (prompt === undefined) {
    throw new GatewayError('prompt_not_found', {
      message: `No prompt is named "${id}".${didYouMean(id, [...prompts.keys()].filter(usable))}`,
      param,
      hint: prompts.size === 0 ? 'gateway.yaml has no prompts.' : 'Prompts are defined under "prompts" in gateway.yaml.',
    });
  }
  if (suffix === undefined) return { version: prompt.published, label: null };
  if (suffix === 'latest') return { version: latestOf(prompt), label: suffix };
  if (/^\d+$/.test(suffix))
    return { version: prompt.versions.get(Number(suffix)) ?? throwUnknownVersion(prompt, suffix, param), label: null };
  const labelled = prompt.labels.get(suffix) ?? (standardLabels.includes(suffix) ? prompt.published : undefined);
  return { version: labelled ?? throwUnknownLabel(prompt, suffix, param), label: suffix };
}

function latestOf<V extends Versioned>({ versions, published }: StoredPrompt<V>): V {
  let latest = published;
  for (const version of versions.values()) if (version.number > latest.number) latest = version;
  return latest;
}

function throwUnknownVersion({ id, versions }: StoredPrompt<Versioned>, suffix: string, param: string | undefined): never {
  const hint = `Available versions: ${[...versions.keys()].join(', ')}.`;
  throw new GatewayError('prompt_not_found', { message: `Prompt "${id}" has no version ${suffix}.`, param, hint });
}

function throwUnknownLabel({ id, labels }: StoredPrompt<Versioned>, suffix: string, param: string | undefined): never {
  const known = [...new Set([...labels.keys(), ...standardLabels, 'latest'])];
  throw new GatewayError('prompt_not_found', {
    message: `Prompt "${id}" has no label "${suffix}".${didYouMean(suffix, known)}`,
    param,
    hint: `Available labels: ${known.join(', ')}; name a version by its number.`,
  });
}

/**
 * Returns the values for the templates: those of the call, and defaults for the others. `null` counts as absent. Values
 * that no template uses are reported to `warn`, but still returned.
 *
 * @throws GatewayError `invalid_type`, `missing_required_parameter`
 */
export function variablesFor(version: PromptVersion, given: unknown, warn: (text: string) => void): JsonObject {
  if (given !== undefined && given !== null && (!isJsonObject(given) || isExactNumber(given))) {
    throw new GatewayError('invalid_type', {
      message: `"variables" is ${kindOf(given)}, not an object.`,
      param: 'variables',
      hint: 'Write {"variables": {"name": "value"}}.',
    });
  }
  // Without a prototype, so that no variable name finds an inherited property.
  const values = Object.assign(Object.create(null) as Record<string, unknown>, given ?? {});
  requireVariables(version, values);
  for (const [name, { type, default: defaultValue }] of version.variables) {
    if (isAbsent(values[name])) values[name] = defaultValue;
    else if (type !== undefined && !isOfType(values[name], type)) throw wrongType(version, name, type, values[name]);
  }
  const unused = Object.keys(values).filter((name) => !version.variables.has(name) && !version.reads.has(name));
  for (const name of unused.slice(0, maxListedVariables)) warn(`variable "${name}" is not used by prompt "${promptName(version)}"`);
  if (unused.length > maxListedVariables)
    warn(`${unused.length - maxListedVariables} further variables are not used by prompt "${promptName(version)}"`);
  for (const name of version.prints) {
    if (!version.variables.has(name) && isAbsent(values[name])) warn(`variable "${name}" of prompt "${promptName(version)}" was not given`);
  }
  return values;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** The error lists all missing variables; its `param` is the first one. */
function requireVariables(version: PromptVersion, values: Readonly<Record<string, unknown>>): void {
  const missing = [...version.variables].flatMap(([name, { required, default: defaultValue }]) =>
    required && defaultValue === undefined && isAbsent(values[name]) ? [name] : [],
  );
  const [first] = missing;
  if (first === undefined) return;
  const unusedNames = Object.keys(values).filter((name) => !version.variables.has(name) && !version.reads.has(name));
  const suggestions = missing.flatMap((name) => {
    const near = nearest(name, unusedNames);
    return near === undefined ? [] : [`The request has "${near}": did you mean "${name}"?`];
  });
  throw new GatewayError('missing_required_parameter', {
    message: `Prompt "${promptName(version)}" needs ${missing.length === 1 ? 'the variable' : 'the variables'} ${missing.map((name) => `"${name}"`).join(', ')}.`,
    param: `variables.${first}`,
    hint: suggestions.length > 0 ? suggestions.join(' ') : `Send ${missing.length === 1 ? 'it' : 'them'} in "variables".`,
  });
}

function wrongType(version: PromptVersion, name: string, type: VariableType, value: unknown): GatewayError {
  return new GatewayError('invalid_type', {
    message: `Variable "${name}" of prompt "${promptName(version)}" is ${kindOf(value)}, not ${articles[type]}.`,
    param: `variables.${name}`,
    hint: `Send ${articles[type]}.`,
  });
}

const articles: Readonly<Record<VariableType, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
};

/** True when a JSON value is of this type. */
export function isOfType(value: unknown, type: VariableType): boolean {
  if (type === 'array') return Array.isArray(value);
  if (isExactNumber(value)) return type === 'number';
  return type === 'object' ? isJsonObject(value) : typeof value === type;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return articles.array;
  if (isExactNumber(value)) return articles.number;
  return articles[typeof value as VariableType] ?? typeof value;
}

/** Fields that a chat completion does not have. The npm library portkey-ai repeats the id of the prompt in the body of a render. */
const fieldsOfCall = ['variables', 'prompt_id', 'promptID'] as const;

/**
 * Returns the fields that a prompt writes into the body of a call: its messages, and the saved parameters that the call
 * does not override. The call decides whether the response is streamed, so stream options are omitted if it is not.
 *
 * @param has true if the call's body has a field of this name
 */
export function promptPatch(
  version: PromptVersion,
  messages: readonly JsonObject[],
  call: { readonly stream: boolean; has(field: string): boolean },
): Map<string, unknown> {
  const patch = new Map<string, unknown>();
  for (const field of fieldsOfCall) if (call.has(field)) patch.set(field, undefined);
  if (version.model !== undefined && !call.has('model')) patch.set('model', version.model);
  patch.set('messages', messages);
  for (const [field, value] of Object.entries(version.parameters)) {
    const isOverruled = call.has(field) || otherPaths(field).some((name) => call.has(name));
    if (!isOverruled && (field !== 'stream_options' || call.stream)) patch.set(field, value);
  }
  return patch;
}
