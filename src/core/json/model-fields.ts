import type { JsonBody } from './body.ts';
import { GatewayError } from '../error.ts';
import type { FormPart } from '../http/form.ts';
import { endOfString, parseJson, skipSpace } from './scan.ts';

/** A model that a request names in addition to the one that it asks for. */
export interface NamedModel {
  /** The name; undefined if the field lets the service choose, or its value is not a name. */
  readonly name: string | undefined;
  /** The path of the field, for messages: `tools[0].model`. */
  readonly field: string;
}

/** Fields that services may interpret as a list of fallbacks, a preset or a router. The model that then runs is unknown. */
const choiceFields: ReadonlySet<string> = new Set(['route', 'preset', 'fallback', 'fallbacks']);
/** Tools and plugins of services that run models of their own, with the fields that name these. Without them, the service chooses. */
const modelTools: ReadonlyMap<string, readonly string[]> = new Map([
  ['imagegeneration', ['model']],
  ['advisor', ['model']],
  ['subagent', ['model']],
  ['fusion', ['model', 'analysis_models']],
]);
/** The member of a tool or plugin with its type, which may have a prefix: `service:advisor`. */
const typeFields: ReadonlyMap<string, string> = new Map([
  ['tools', 'type'],
  ['plugins', 'id'],
]);
const typeOf = (text: string): string => plainName(text.slice(text.lastIndexOf(':') + 1));
/** Types of tools whose `parameters` are a JSON Schema, or name search engines. Those of any other tool may name a model. */
const schemaTools: ReadonlySet<string> = new Set(['function', 'custom', 'websearch', 'webfetch']);
/** Members whose arrays and strings are content. As objects they are parameters like any other. */
const contentFields: ReadonlySet<string> = new Set(['messages', 'input', 'prompt', 'contents', 'system', 'instructions', 'documents']);
/** Members that only describe or annotate, including JSON Schemas for self-hosted servers. No service reads a model from them. */
const annotationFields: ReadonlySet<string> = new Set(['metadata', 'labels', 'variables', 'chattemplatekwargs', 'guidedjson']);
/** JSON Schemas, whose properties may have any name. */
const schemaFields: ReadonlySet<string> = new Set(['parameters', 'inputschema', 'schema', 'jsonschema', 'json', 'format']);
const fieldsWithSchemas: ReadonlySet<string> = new Set(['tools', 'functions', 'responseformat', 'text', 'structuredoutputs', 'jsonschema']);

/** Maximum nesting depth that is searched. */
const maxDepth = 128;

/** Characters from which a text is longer than any name. */
const minLongName = 256;

/**
 * Normalizes a text so that letters of any width are equal. Normalization sorts the accents after one letter in quadratic
 * time, so accents are removed from long texts.
 */
export const normalizeWidth = (text: string): string =>
  (text.length > minLongName ? text.replaceAll(/\p{M}/gu, '') : text).normalize('NFKC');

/**
 * The name of a field as the most lenient service compares it: ignoring case, width, separators and brackets, so that
 * `Model`, `ｍodel`, `model[]` and `model\0` are all `model`.
 */
export const plainName = (name: string): string =>
  normalizeWidth(name)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** True for a field, by its plain name, that contains the name of a model or deployment. */
export const namesModel = (plain: string): boolean =>
  plain.includes('model') || plain.startsWith('engine') || plain.startsWith('deployment') || plain.endsWith('deployment');

/** True for a field, by its plain name, that lets the service choose another model. */
const choosesModel = (plain: string): boolean => choiceFields.has(plain);

/**
 * Finds every model that a body names, in any field, spelling and nesting that a service could read as a model. A string
 * `model` is left out: it is the model that the request asks for.
 *
 * @throws GatewayError `invalid_json` for text that is not strict JSON, because lenient parsers disagree about it
 */
export function modelsNamedIn(body: JsonBody): readonly NamedModel[] {
  body.json();
  const found: NamedModel[] = [];
  for (const { key, first, index } of body.members()) {
    const isRequestedModel = key === 'model' && first === '"';
    const plain = plainName(key);
    if (isRequestedModel || (!isNested(first) && !selectsModel(plain))) continue;
    const hasTools = hasToolItems(plain, first);
    if (!hasTools && isSkipped(plain, plain, first)) continue;
    const text = body.textOf(index);
    if (!hasTools || maybeTools.test(text)) new ModelFinder(text, found).member(key, key, '');
  }
  return found;
}

/** Like `modelsNamedIn` for the text of a whole value, including `model`. Undefined if it is not strict JSON. */
export function modelsNamedInText(text: string): readonly NamedModel[] | undefined {
  if (!isJson(text)) return undefined;
  const found: NamedModel[] = [];
  new ModelFinder(text, found).whole();
  return found;
}

/** Like `modelsNamedIn` for one form field, in which services also accept JSON. The field `model` itself is left out. */
export function modelsNamedInPart({ name, isFile, text }: FormPart): readonly NamedModel[] {
  if (name === 'model' && !isFile && text !== undefined) return nothing;
  const plain = plainName(name);
  const hidden = [{ name: undefined, field: name }];
  if (choosesModel(plain)) return text === '' ? nothing : hidden;
  const isNamed = namesModel(plain);
  if (isNamed && (isFile || text === undefined)) return hidden;
  if (text === undefined || contentFields.has(plain)) return nothing;
  if (!/^\s*["[{]/.test(text)) return isNamed ? [{ name: text, field: name }] : nothing;
  if (!isJson(text)) return isNamed ? hidden : nothing;
  const found: NamedModel[] = [];
  new ModelFinder(text, found).member(name, name, '');
  return found;
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

const nothing: readonly NamedModel[] = Object.freeze([]);

const isNested = (first: string): boolean => first === '{' || first === '[';
const selectsModel = (plain: string): boolean => namesModel(plain) || choosesModel(plain);

type Filled = ReadonlyMap<string, boolean>;

/** Scans the text of a value once. The value must be strict JSON. Unlike a parsed object, the text still has duplicate members. */
class ModelFinder {
  readonly #text: string;
  readonly #found: NamedModel[];
  #at = 0;
  #depth = 0;

  constructor(text: string, found: NamedModel[]) {
    this.#text = text;
    this.#found = found;
  }

  whole(): void {
    this.#value('', '', '');
  }

  /** Scans the value of a member. @param inside plain name of the containing member, or of an outer one that has schemas */
  member(key: string, field: string, inside: string): void {
    const plain = plainName(key);
    this.#space();
    const first = this.#text[this.#at];
    const top = fieldsWithSchemas.has(inside) ? inside : plain;
    if (hasToolItems(plain, first)) this.#toolItems(field);
    else if (isSkipped(plain, top, first)) this.#skip();
    else if (namesModel(plain)) this.#named(plain, field, top);
    else if (choosesModel(plain)) this.#chosen(field);
    else this.#value(field, top, plain);
  }

  /** Scans a value that is not a name itself but may contain names. */
  #value(field: string, top: string, plain: string): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{') this.#object(field, top, plain);
    else if (first === '[') this.#list((index) => this.#value(`${field}[${index}]`, top, plain));
    else this.#skip();
  }

  /** Returns the plain names of the members: true if each value of this name is more than empty. */
  #object(field: string, top: string, plain: string): Filled {
    const types: string[] = [];
    const filled = new Map<string, boolean>();
    const parameters: number[] = [];
    this.#members((key) => {
      const name = plainName(key);
      const start = this.#at;
      const isToolSchema = plain === 'tools' && name === 'parameters';
      if (isToolSchema) parameters.push(start);
      if (name === typeFields.get(plain) && this.#text[start] === '"') types.push(this.#string());
      else if (isToolSchema) this.#skip();
      else this.member(key, field === '' ? key : `${field}.${key}`, top);
      filled.set(name, filled.get(name) !== false && !this.#isEmpty(start));
    });
    if (types.length > 0) this.#tool(field, types, filled, parameters);
    return filled;
  }

  /** Scans the parameters of a service's own tool, which its type may follow, and looks for the models that it needs. */
  #tool(field: string, types: readonly string[], members: Filled, parameters: readonly number[]): void {
    const end = this.#at;
    let inner: Filled | undefined;
    if (!types.every((type) => schemaTools.has(typeOf(type)))) {
      for (const start of parameters) {
        this.#at = start;
        if (this.#text[start] === '{') inner = this.#object(`${field}.parameters`, 'parameters', 'parameters');
        else this.#value(`${field}.parameters`, 'parameters', 'parameters');
      }
      // Services differ in which of two they read.
      if (parameters.length > 1) inner = undefined;
    }
    this.#at = end;
    for (const type of types) {
      // A prefixed type takes all of its settings from the parameters.
      const [filled, place] = type.includes(':') ? [inner, `${field}.parameters`] : [members, field];
      const missing = modelTools.get(typeOf(type))?.find((name) => filled?.get(plainName(name)) !== true);
      if (missing !== undefined) this.#found.push({ name: undefined, field: `${place}.${missing}` });
    }
  }

  /** Scans the tools of the items of a conversation. Everything else in them is content. */
  #toolItems(field: string): void {
    this.#list((index) => {
      this.#space();
      if (this.#text[this.#at] !== '{') this.#skip();
      else
        this.#members((key) => {
          if (plainName(key) === 'tools') this.#value(`${field}[${index}].${key}`, 'tools', 'tools');
          else this.#skip();
        });
    });
  }

  /** True if the value between `start` and the current position lets a service use its default. */
  #isEmpty(start: number): boolean {
    return /^(?:null|false|""|\[\s*\])\s*$/.test(this.#text.slice(start, this.#at));
  }

  /** A name, a list of names, or null. Other values cannot be checked. */
  #named(plain: string, field: string, top: string): void {
    const first = this.#text[this.#at];
    if (first === '"') this.#found.push({ name: this.#string(), field });
    else if (first === '[') this.#list((index) => this.#listed(`${field}[${index}]`));
    else if (first === '{' && plain !== 'model' && plain !== 'models') this.#object(field, top, plain);
    else if (first === '{' || (plain === 'model' && first !== 'n')) this.#hidden(field);
    else this.#skip();
  }

  #listed(field: string): void {
    this.#space();
    if (this.#text[this.#at] === '"') this.#found.push({ name: this.#string(), field });
    else this.#hidden(field);
  }

  #chosen(field: string): void {
    const start = this.#at;
    this.#skip();
    if (!this.#isEmpty(start)) this.#found.push({ name: undefined, field });
  }

  #hidden(field: string): void {
    this.#found.push({ name: undefined, field });
    this.#skip();
  }

  #members(each: (key: string) => void): void {
    this.#enter();
    for (this.#space(); this.#text[this.#at] !== '}'; this.#space()) {
      if (this.#text[this.#at] === ',') this.#at += 1;
      this.#space();
      const key = this.#string();
      this.#space();
      this.#at += 1;
      this.#space();
      each(key);
    }
    this.#leave();
  }

  #list(each: (index: number) => void): void {
    this.#enter();
    let index = 0;
    for (this.#space(); this.#text[this.#at] !== ']'; this.#space()) {
      if (this.#text[this.#at] === ',') this.#at += 1;
      each(index);
      index += 1;
    }
    this.#leave();
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw new GatewayError('invalid_json', { message: `The body is nested more than ${maxDepth} levels deep.` });
    }
    this.#at += 1;
  }

  #leave(): void {
    this.#depth -= 1;
    this.#at += 1;
  }

  /** Reads a string from its opening quote, decoded. */
  #string(): string {
    const start = this.#at;
    this.#at = endOfString(this.#text, start);
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  /** Skips one value. */
  #skip(): void {
    this.#space();
    const text = this.#text;
    const first = text[this.#at];
    if (first === '"') {
      this.#at = endOfString(text, this.#at);
    } else if (first === '{' || first === '[') {
      this.#skipNested();
    } else {
      scalarEnd.lastIndex = this.#at;
      this.#at = scalarEnd.exec(text)?.index ?? text.length;
    }
  }

  #skipNested(): void {
    let open = 0;
    do {
      const c = this.#text[this.#at];
      if (c === '"') {
        this.#at = endOfString(this.#text, this.#at);
      } else {
        if (c === '{' || c === '[') open += 1;
        else if (c === '}' || c === ']') open -= 1;
        this.#at += 1;
      }
    } while (open > 0);
  }

  #space(): void {
    this.#at = skipSpace(this.#text, this.#at);
  }
}

/** `lastIndex` is set before each use, so it holds no state between calls. */
const scalarEnd = /[\s,}\]]/g;

/** A conversation whose items may bring tools with them. */
const hasToolItems = (plain: string, first: string | undefined): boolean => plain === 'input' && first === '[';

/** Matches the text of every list with a member `tools` in any spelling. */
const maybeTools = /tools|\\u|[^\x00-\x7f]/i;

function isSkipped(plain: string, top: string, first: string | undefined): boolean {
  if (annotationFields.has(plain)) return true;
  if (contentFields.has(plain)) return first === '[' || first === '"';
  return schemaFields.has(plain) && fieldsWithSchemas.has(top);
}
