import { isBatchInput } from '#core/json/batch-file.ts';
import type { Routed } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { plainName } from '#core/json/model-fields.ts';
import { hasUnreadBody } from '#core/json/unread-body.ts';
import { checkFormSyntax } from './named-models.ts';
import type { Override } from './override.ts';

/**
 * For a key that is bound to a config (`enforce_config`), all `override_params` must take effect. Requests into which they
 * cannot be written are rejected, like bodies with another spelling of one of them, which some services accept instead.
 * The model is checked by the lists of models.
 *
 * @throws GatewayError `not_allowed`, `invalid_json`, `invalid_form`
 */
export function checkEnforced(ctx: Routed, { members, overruled }: Override, nativeFields: readonly string[] = none): void {
  if (members.length === 0) return;
  const { body, endpoint } = ctx;
  if (endpoint === 'realtime' || hasUnreadBody(ctx) || hasUncheckedLines(ctx)) throw notAppliedError(ctx, members[0]?.key ?? '');
  // Lenient parsers may read other members from text that is not strict JSON, and other fields from an unusual form.
  if (body.kind === 'json') body.json();
  if (body.kind === 'form') checkFormSyntax(body);
  const names = body.kind === 'json' ? [...body.keys()] : body.kind === 'form' ? body.partsRead.map(({ name }) => name) : [];
  const replaced = overruled.filter(({ isAlias }) => !isAlias);
  const other = findAlias([...members.map(({ key }) => key), ...replaced.map(({ path: [key = ''] }) => key)], names);
  if (other !== undefined) throw aliasError(ctx, other.name, other.key);
  // The service's own form of a parameter would take the place of the member that is set.
  const nativeField = nativeFields.find((name) => names.includes(name));
  const overridden = members.find(({ key }) => key !== nativeField && !freeFormMembers.has(key));
  if (nativeField !== undefined && overridden !== undefined) throw aliasError(ctx, nativeField, overridden.key);
  if (body.kind === 'json') {
    for (const { key, value } of members) checkNested(ctx, key, value, body.json()[key]);
    for (const { path } of replaced) checkPath(ctx, path, body.json());
  }
  if (body.kind !== 'form' || traitsOf(endpoint).file === 'up') return;
  // The override would be added, and not replace it, because some services read a file without a name as text.
  const asFile = body.partsRead.find(({ name, isFile }) => isFile && members.some(({ key }) => key === name));
  if (asFile !== undefined) throw aliasError(ctx, asFile.name, asFile.name);
  const nested = members.find(({ value }) => typeof value === 'object' && value !== null);
  if (nested !== undefined) throw notAppliedError(ctx, nested.key);
}

const none: readonly never[] = Object.freeze([]);

/** The same for objects, which are merged: other members of the body are kept. */
function checkNested(ctx: Routed, field: string, set: unknown, written: unknown): void {
  if (!isJsonObject(set) || !isJsonObject(written) || freeFormMembers.has(field)) return;
  const other = findAlias(Object.keys(set), Object.keys(written));
  if (other !== undefined) throw aliasError(ctx, `${field}.${other.name}`, `${field}.${other.key}`);
  for (const [key, value] of Object.entries(set))
    checkNested(ctx, `${field}.${key}`, value, Object.hasOwn(written, key) ? written[key] : undefined);
}

/** The same for the places of the body that the override empties. */
function checkPath(ctx: Routed, path: readonly string[], body: JsonObject): void {
  let at: unknown = body;
  for (const [depth, key] of path.entries()) {
    if (!isJsonObject(at)) return;
    const other = depth === 0 ? undefined : findAlias([key], Object.keys(at));
    const inside = path.slice(0, depth).join('.');
    if (other !== undefined) throw aliasError(ctx, `${inside}.${other.name}`, `${inside}.${key}`);
    at = Object.hasOwn(at, key) ? at[key] : undefined;
  }
}

/** The first name that is another spelling of one of the keys. */
function findAlias(keys: readonly string[], names: Iterable<string>): { readonly name: string; readonly key: string } | undefined {
  const plain = new Map(keys.map((key) => [plainName(key), key]));
  for (const name of names) {
    const key = plain.get(plainName(name));
    if (key !== undefined && !keys.includes(name)) return { name, key };
  }
  return undefined;
}

/** Objects whose member names are chosen by the caller, so that other spellings have no meaning. */
const freeFormMembers: ReadonlySet<string> = new Set(['labels', 'metadata']);

/** Lines of a batch are separate requests. If the purpose comes after the file, it is too late to check them. */
function hasUncheckedLines({ endpoint, body }: Routed): boolean {
  if (endpoint === 'batches') return true;
  return endpoint === 'files' && body.kind === 'form' && (!body.fields.has('purpose') || isBatchInput(body));
}

function notAppliedError({ facts, method, path }: Routed, param: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `Key "${facts.caller.name}" is bound to config "${facts.config?.name ?? ''}", whose override_params.${param} cannot be applied to ${method} ${path.slice(0, 100)}.`,
    hint: 'The rule is enforce_config of the key. Use a route whose body the gateway reads, or another key.',
  });
}

function aliasError({ facts }: Routed, name: string, param: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `Key "${facts.caller.name}" is bound to config "${facts.config?.name ?? ''}", which sets "${param}", and the request has "${name}".`,
    param: name,
    hint: `Leave "${name}" out.`,
  });
}
