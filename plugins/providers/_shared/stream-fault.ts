import type { ProviderFault } from '#core/error.ts';

/** HTTP statuses of the errors that another target or a later try may cure; in a stream only their type is named. */
const statuses: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  RESOURCE_EXHAUSTED: 429,
};

/** The fault of an error event, with the status that its format gives its type; every other one stays without. */
export function faultInStream(fault: ProviderFault): ProviderFault {
  const status = statuses[fault.type ?? ''] ?? statuses[fault.code ?? ''];
  return status === undefined ? fault : { ...fault, status };
}
