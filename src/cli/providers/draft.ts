import { slugPattern } from '../../config/schema/shared.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { CommonSettings, Provider, SettingsProblem } from '../../core/provider.ts';
import { CommandError, exitCodes } from '../command.ts';

/** Settings under construction: plain data, extended by path. */
export type Draft = Record<string, unknown>;

/**
 * Applies one `key.path=value` of the command line.
 * @throws CommandError
 */
export function applyAssignment(draft: Draft, assignment: string, provider: Provider): void {
  const wrong = (message: string): CommandError => new CommandError(exitCodes.usage, message);
  const [whole = '', written] = /^((?:"[^"]*"|[^"=])+)=/.exec(assignment) ?? [];
  if (written === undefined) throw wrong(`"${assignment}" is not key=value`);
  const path = stepsOf(written);
  const text = assignment.slice(whole.length);
  if (path === undefined) throw wrong(`"${written}" is not a path`);
  if (isSecret(provider, path) && !/^\$\{(?:env|file):[^{}]+\}$/.test(text)) {
    throw wrong(`"${path.join('.')}" is a secret: write its reference, \${env:NAME} or \${file:/path}`);
  }
  setAtPath(draft, path, valueOf(text));
}

/** Splits a path at dots. A name that contains a dot is quoted: `deployments."gpt-4.1"`. Undefined for an invalid path. */
function stepsOf(written: string): readonly string[] | undefined {
  const step = '"([^"]+)"|([^".]+)';
  if (!new RegExp(`^(?:${step})(?:\\.(?:${step}))*$`).test(written)) return undefined;
  const steps = [...written.matchAll(new RegExp(step, 'g'))].map(([, quoted, bare]) => quoted ?? bare ?? '');
  return steps.includes('__proto__') ? undefined : steps;
}

/** Sets a value at a path and creates missing mappings. */
export function setAtPath(draft: Draft, path: readonly string[], value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) return;
  let at = draft;
  for (const step of path.slice(0, -1)) {
    const next = at[step];
    const below: Draft = isJsonObject(next) ? (next as Draft) : {};
    at[step] = below;
    at = below;
  }
  at[last] = value;
}

/** @throws CommandError for a name that cannot be a slug */
export function checkSlug(slug: string): void {
  if (new RegExp(slugPattern).test(slug)) return;
  throw new CommandError(exitCodes.usage, `"${slug}" is not a slug: use lower-case letters, digits, ".", "_" and "-"`);
}

/** True for a valid name of a variable that does not look like a key pasted by mistake. */
export const isVariable = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) && !/^(?:sk-|gw_|AIza)/.test(name);

/** Numbers and booleans as YAML would read them; everything else is text. */
function valueOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

const common: ReadonlySet<string> = new Set(['api_key']);

/** True for a setting that is a secret according to the type's schema, at any depth. */
export function isSecret(provider: Provider, path: readonly string[]): boolean {
  const last = path.at(-1) ?? '';
  const schema = schemaAt(provider.entry.settings, path);
  if (schema?.['type'] === 'boolean') return false;
  return common.has(last) || schema?.['writeOnly'] === true || /secret|password|token$/.test(last);
}

/** Schema of a setting. Free names of a mapping share its `additionalProperties`. */
export function schemaAt(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  let at: unknown = schema;
  for (const step of path) {
    if (!isJsonObject(at)) return undefined;
    const properties = at['properties'];
    const own: unknown = isJsonObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
    at = own ?? at['additionalProperties'];
  }
  return isJsonObject(at) ? at : undefined;
}

/**
 * Problems that the type itself finds in the settings, as in `check`. Values of references are unknown here, so their
 * problems are skipped.
 */
export function problemsOf(provider: Provider, { name: _name, description: _about, ...settings }: Draft): readonly SettingsProblem[] {
  const problems = provider.entry.check?.(settings as CommonSettings & JsonObject) ?? [];
  return problems.filter(
    ({ path }) => !isReference(path.reduce<unknown>((at, step) => (isJsonObject(at) ? at[step] : undefined), settings)),
  );
}

/** Setting for the key: the type's own if the entry is then complete, otherwise `api_key`. */
export function keySettingFor(provider: Provider, settings: Draft): string {
  const own = provider.entry.keySetting;
  if (own === undefined) return 'api_key';
  const lacks = problemsOf(provider, { ...settings, [own]: '-' }).some(({ path, code }) => path[0] === own && code === 'missing-key');
  return lacks ? 'api_key' : own;
}

const isReference = (value: unknown): boolean => typeof value === 'string' && value.includes('${');
