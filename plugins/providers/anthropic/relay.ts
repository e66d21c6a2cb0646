import type { RelayedAddress } from '#core/provider.ts';
import { allowEmpty } from '#formats/openai-objects/object-tap.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { joinAddress, relayedRoute } from '../_shared/address.ts';
import { type AnthropicCall, anthropicHeaders, base } from './send.ts';

/** Forwards a path of the API that has no endpoint here, for example of message batches. */
export function relay(call: AnthropicCall, path: string): RelayedAddress {
  const route = relayedRoute(path);
  const address = { ...joinAddress(base(call.settings), route, call.query), headers: anthropicHeaders(call) };
  if (!batchRoute.test(route)) return address;
  return { ...address, reading: { tap: allowEmpty(new OpaqueTap()), repair: withRelativeResults } };
}

/** Routes that return message batches. */
const batchRoute = /^messages\/batches(?:\/[^/]+(?:\/cancel)?)?$/;

const resultsUrl = /("results_url"\s*:\s*")[a-z]+:\/\/[^"]*?(\/v1\/messages\/batches\/[^"/]+\/results")/g;

/**
 * Removes the host of `results_url`. Anthropic's libraries request this URL with their own key, which is the gateway's: it would go to
 * the host of the service. They resolve a path with their base URL.
 */
function withRelativeResults(text: string): string | undefined {
  const changed = text.replaceAll(resultsUrl, '$1$2');
  return changed === text ? undefined : changed;
}
