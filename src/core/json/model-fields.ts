import type { JsonBody } from './body.ts';
import { GatewayError } from '../error.ts';
import type { FormPart } from '../http/form.ts';
import { parseJson } from './scan.ts';

/** A model that a request names in addition to the one that it asks for. */
export interface NamedModel {
  /** The name; undefined if the field lets the service choose, or its value is not a name. */
  readonly name: string | undefined;
  /** The path of the field, for messages: `tools[0].model`. */
  readonly field: string;
}

/** Fields that services may interpret as a list of fallbacks, a preset or a router. The model that then runs is unknown. */
const choiceFields: ReadonlySet<string> = new Set(['route', 'preset', 'fallback', 'fallbacks']);
/** Tools that run a model of their own. Without a name, the service chooses the model. */
const modelTools: ReadonlySet<string> = new Set(['imagegeneration']);
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
    if (!isRequestedModel && !isSkipped(plain, plain, first) && (isNested(first) || selectsModel(plain)))
      new ModelFinder(body.textOf(index), found).member(key, key, '');
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
    if (isSkipped(plain, top, first)) this.#skip();
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

  #object(field: string, top: string, plain: string): void {
    let type = '';
    let hasModel = false;
    this.#members((key) => {
      const name = plainName(key);
      hasModel ||= name === 'model';
      if (name === 'type' && this.#text[this.#at] === '"') type = plainName(this.#string());
      else this.member(key, field === '' ? key : `${field}.${key}`, top);
    });
    if (plain === 'tools' && modelTools.has(type) && !hasModel) this.#found.push({ name: undefined, field: `${field}.model` });
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
    const text = this.#text.slice(start, this.#at).trim();
    if (text !== 'null' && text !== 'false' && text !== '""' && !/^\[\s*\]$/.test(text)) this.#found.push({ name: undefined, field });
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
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }
}

/** `lastIndex` is set before each use, so it holds no state between calls. */
const scalarEnd = /[\s,}\]]/g;

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The offset after the closing quote of a valid string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const c = text[at];
    if (c === '\\') at += 1;
    else if (c === '"') return at + 1;
  }
}

function isSkipped(plain: string, top: string, first: string | undefined): boolean {
  if (annotationFields.has(plain)) return true;
  if (contentFields.has(plain)) return first === '[' || first === '"';
  return schemaFields.has(plain) && fieldsWithSchemas.has(top);
}
