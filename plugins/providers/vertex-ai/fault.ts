import type { ProviderFault } from '#core/error.ts';
import { anthropicFault } from '../_shared/anthropic/fault.ts';
import { objectIn, openaiFault } from '../_shared/openai-fault.ts';

/** Models of Anthropic report errors in their own form; the service itself and all other models in forms that one reader knows. */
export const vertexFault = (status: number, body: string): ProviderFault =>
  objectIn(body)?.['type'] === 'error' ? anthropicFault(status, body) : openaiFault(status, body);
