import type { BodyPatch, JsonBody } from '../../core/json/body.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { Dropped } from '../../core/provider.ts';

/** One difference between a service's chat requests and the format that it follows. */
export interface ChatQuirk {
  /** Members of the body that the service rejects. They are dropped and reported. */
  readonly drops?: readonly string[];
  /** Members of the body that have another name at the service. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Roles of messages that have another name at the service. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Models that differ, by the service's own name. All models if absent. */
  readonly models?: RegExp;
}

const reason = 'not supported by this service';

/** Adapts a body to the service. Returns it with what was dropped, or the same body if nothing differs. */
export function withQuirks(
  body: JsonBody,
  model: string,
  quirks: readonly ChatQuirk[],
): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const patch = new Map<string, unknown>();
  const dropped: Dropped[] = [];
  const drop = (param: string, why: string): void => {
    patch.set(param, undefined);
    if (!isNeutral(body.value(param))) dropped.push({ param, reason: why });
  };
  for (const { drops = [], renames = {}, roles = {}, models } of quirks) {
    if (models?.test(model) === false) continue;
    for (const param of drops) if (body.has(param)) drop(param, reason);
    for (const [from, to] of Object.entries(renames)) {
      if (!body.has(from)) continue;
      if (body.has(to)) drop(from, `the request has ${to}`);
      else patch.set(from, undefined).set(to, body.value(from));
    }
    for (const [from, to] of Object.entries(roles)) renameRole(body, patch, from, to);
  }
  return patch.size === 0 ? { body, dropped } : { body: body.edit(patch as BodyPatch), dropped };
}

/** True for values that request the default behavior. Dropping them is not reported. */
const isNeutral = (value: unknown): boolean =>
  value === null || value === false || value === 0 || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

function renameRole(body: JsonBody, patch: Map<string, unknown>, from: string, to: string): void {
  if (!body.mentions(`"${from}"`)) return;
  const messages: unknown = patch.get('messages') ?? body.exact('messages');
  if (!Array.isArray(messages)) return;
  const renamed = messages.map((one: unknown) => (isJsonObject(one) && one['role'] === from ? { ...one, role: to } : one));
  if (renamed.some((one, at) => one !== messages[at])) patch.set('messages', renamed);
}
