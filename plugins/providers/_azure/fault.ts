import type { ProviderFault } from '#core/error.ts';
import { isJsonObject } from '#core/json/merge.ts';
import { textOf } from '#formats/shared/json.ts';
import { openaiFault } from '#formats/openai-chat/fault.ts';

/** `type` by status, for bodies without it. */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
};

/** Parses the error body of Azure OpenAI: `code` as text, `type` from the status, `param` from `target`; `innererror` is kept. */
export function azureFault(status: number, body: string): ProviderFault {
  const fault = openaiFault(status, body);
  const code = fault.code === undefined || fault.code === null ? null : String(fault.code);
  const type = fault.type ?? types[status] ?? (status >= 500 ? 'api_error' : null);
  return { ...fault, code, type, param: fault.param ?? textOf(fault.extra?.['target']) ?? pathIn(fault.extra?.['details']) ?? null };
}

/** `details: {loc: ['body', 'x']}` of Foundry models: the path below the body. */
function pathIn(details: unknown): string | undefined {
  const loc = isJsonObject(details) ? details['loc'] : undefined;
  if (!Array.isArray(loc)) return undefined;
  const path = loc.filter((step) => typeof step === 'string' || typeof step === 'number').map(String);
  return textOf((path[0] === 'body' ? path.slice(1) : path).join('.'));
}
