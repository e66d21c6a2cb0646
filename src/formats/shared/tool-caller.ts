import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';

/**
 * Returns what made a tool call, which a later request must repeat: code that runs at the service (Anthropic, "Programmatic tool
 * calling"). `direct` is the model itself and needs no mention.
 */
export function toolCallerOf({ caller }: JsonObject): { readonly caller?: JsonObject } {
  return isJsonObject(caller) && caller['type'] !== 'direct' ? { caller } : {};
}
