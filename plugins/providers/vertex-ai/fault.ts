import type { ProviderFault } from '#core/error.ts';
import { anthropicFault } from '#formats/anthropic-messages/fault.ts';
import { objectIn, openaiFault } from '#formats/openai-chat/fault.ts';

/** Models of Anthropic report errors in their own form; the service itself and all other models in forms that one reader knows. */
export const vertexFault = (status: number, body: string): ProviderFault =>
  objectIn(body)?.['type'] === 'error' ? anthropicFault(status, body) : openaiFault(status, body);
