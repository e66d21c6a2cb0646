import type { BodyPatch, JsonBody } from '../../../core/json/body.ts';
import type { Dropped } from '../../../core/provider.ts';
import { notSupported } from '../../shared/request/drops.ts';
import { withAllowedTools } from './allowed-tools.ts';
import { convertMessages } from './messages.ts';
import { orderMessages } from './order.ts';
import type { ChatQuirk } from './quirk.ts';
import { withoutKeywords } from './tool-schemas.ts';
import { convertValues, isNeutral } from './values.ts';

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
    if (!isNeutral(param, body.value(param))) dropped.push({ param, reason: why });
  };
  for (const quirk of quirks) {
    const { drops = [], renames = {}, schemaKeywords = [], models } = quirk;
    if (models?.test(model) === false) continue;
    if (quirk.offersAllowedTools === true) dropped.push(...withAllowedTools(body, patch));
    for (const param of drops) if (body.has(param)) drop(param, notSupported);
    for (const [from, to] of Object.entries(renames)) {
      if (!body.has(from)) continue;
      const [value, other] = [body.value(from), body.has(to) ? body.value(to) : null];
      patch.set(from, undefined);
      if (value === null) continue;
      patch.set(to, body.exact(from));
      if (other !== null && other !== value) dropped.push({ param: to, reason: `${from} is sent instead` });
    }
    convertMessages(body, patch, quirk);
    orderMessages(body, patch, quirk);
    if (schemaKeywords.some((keyword) => body.mentions(`"${keyword}"`))) {
      const tools = patch.get('tools') ?? body.exact('tools');
      if (Array.isArray(tools)) patch.set('tools', withoutKeywords(tools, new Set(schemaKeywords)));
    }
    dropped.push(...convertValues(body, patch, quirk));
  }
  return patch.size === 0 ? { body, dropped } : { body: body.edit(patch as BodyPatch), dropped };
}
