import { isBatchInput } from '#core/json/batch-file.ts';
import type { Routed } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import { plainName } from '#core/json/model-fields.ts';
import { hasUnreadBody } from '#core/json/unread-body.ts';
import { checkSpelling } from './named-models.ts';
import type { Override } from './override.ts';

/**
 * For a key that is bound to a config (`enforce_config`), all `override_params` must take effect. Requests into which they
 * cannot be written are rejected, like bodies with another spelling of one of them, which some services accept instead.
 * The model is checked by the lists of models.
 *
 * @throws GatewayError `not_allowed`, `invalid_json`, `invalid_form`
 */
export function checkEnforced(ctx: Routed, { members, overruled }: Override, ownForms: readonly string[] = none): void {
  if (members.length === 0) return;
  const { body, endpoint } = ctx;
  if (endpoint === 'realtime' || hasUnreadBody(ctx) || hidesLines(ctx)) throw notApplied(ctx, members[0]?.key ?? '');
  // Lenient parsers may read other members from text that is not strict JSON, and other fields from an unusual form.
  if (body.kind === 'json') body.json();
  if (body.kind === 'form') checkSpelling(body);
  const names = body.kind === 'json' ? [...body.keys()] : body.kind === 'form' ? body.seen.map(({ name }) => name) : [];
  const replaced = overruled.filter(({ isSpelling }) => !isSpelling);
  const other = respelling([...members.map(({ key }) => key), ...replaced.map(({ path: [key = ''] }) => key)], names);
  if (other !== undefined) throw respelled(ctx, other.name, other.key);
  // The service's own form of a parameter would take the place of the member that is set.
  const own = ownForms.find((name) => names.includes(name));
  const taken = members.find(({ key }) => key !== own && !ownNames.has(key));
  if (own !== undefined && taken !== undefined) throw respelled(ctx, own, taken.key);
  if (body.kind === 'json') {
    for (const { key, value } of members) checkInside(ctx, key, value, body.json()[key]);
    for (const { path } of replaced) checkPath(ctx, path, body.json());
  }
  if (body.kind !== 'form' || traitsOf(endpoint).file === 'up') return;
  // The override would be added, and not replace it, because some services read a file without a name as text.
  const asFile = body.seen.find(({ name, isFile }) => isFile && members.some(({ key }) => key === name));
  if (asFile !== undefined) throw respelled(ctx, asFile.name, asFile.name);
  const nested = members.find(({ value }) => typeof value === 'object' && value !== null);
  if (nested !== undefined) throw notApplied(ctx, nested.key);
}

const none: readonly never[] = Object.freeze([]);

/** The same for objects, which are merged: other members of the body are kept. */
function checkInside(ctx: Routed, field: string, set: unknown, written: unknown): void {
  if (!isPlain(set) || !isPlain(written) || ownNames.has(field)) return;
  const other = respelling(Object.keys(set), Object.keys(written));
  if (other !== undefined) throw respelled(ctx, `${field}.${other.name}`, `${field}.${other.key}`);
  for (const [key, value] of Object.entries(set))
    checkInside(ctx, `${field}.${key}`, value, Object.hasOwn(written, key) ? written[key] : undefined);
}

/** The same for the places of the body that the override empties. */
function checkPath(ctx: Routed, path: readonly string[], body: Plain): void {
  let at: unknown = body;
  for (const [depth, key] of path.entries()) {
    if (!isPlain(at)) return;
    const other = depth === 0 ? undefined : respelling([key], Object.keys(at));
    const inside = path.slice(0, depth).join('.');
    if (other !== undefined) throw respelled(ctx, `${inside}.${other.name}`, `${inside}.${key}`);
    at = Object.hasOwn(at, key) ? at[key] : undefined;
  }
}

/** The first name that is another spelling of one of the keys. */
function respelling(keys: readonly string[], names: Iterable<string>): { readonly name: string; readonly key: string } | undefined {
  const plain = new Map(keys.map((key) => [plainName(key), key]));
  for (const name of names) {
    const key = plain.get(plainName(name));
    if (key !== undefined && !keys.includes(name)) return { name, key };
  }
  return undefined;
}

/** Objects whose member names are chosen by the caller, so that other spellings have no meaning. */
const ownNames: ReadonlySet<string> = new Set(['labels', 'metadata']);

/** Lines of a batch are separate requests. If the purpose comes after the file, it is too late to check them. */
function hidesLines({ endpoint, body }: Routed): boolean {
  if (endpoint === 'batches') return true;
  return endpoint === 'files' && body.kind === 'form' && (!body.fields.has('purpose') || isBatchInput(body));
}

function notApplied({ facts, method, path }: Routed, param: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `Key "${facts.caller.name}" is bound to config "${facts.config?.name ?? ''}", whose override_params.${param} cannot be applied to ${method} ${path.slice(0, 100)}.`,
    hint: 'The rule is enforce_config of the key. Use a route whose body the gateway reads, or another key.',
  });
}

function respelled({ facts }: Routed, name: string, param: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `Key "${facts.caller.name}" is bound to config "${facts.config?.name ?? ''}", which sets "${param}", and the request has "${name}".`,
    param: name,
    hint: `Leave "${name}" out.`,
  });
}
