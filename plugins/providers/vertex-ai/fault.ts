import type { ProviderFault } from '#core/error.ts';
import { isPlain } from '#core/merge.ts';
import { anthropicFault } from '../_shared/anthropic/fault.ts';
import { geminiFault } from '../_shared/gemini/fault.ts';
import { parseObject } from '../_shared/json.ts';
import { openaiFault } from '../_shared/openai-fault.ts';

/** The service answers in its own form, models of other makers in theirs. */
export function vertexFault(status: number, body: string): ProviderFault {
  const object = parseObject(body);
  if (object?.['type'] === 'error') return anthropicFault(status, body);
  const error = object?.['error'];
  const isOpenAi = isPlain(error) && typeof error['status'] !== 'string' && (error['type'] !== undefined || error['param'] !== undefined);
  return isOpenAi ? openaiFault(status, body) : geminiFault(status, body);
}
