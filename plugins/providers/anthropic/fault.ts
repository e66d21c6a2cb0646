import type { ProviderFault } from '#core/error.ts';
import { isJsonObject } from '#core/json/merge.ts';
import { anthropicFault } from '#formats/anthropic-messages/fault.ts';
import { requestsHint } from './batches/create.ts';

/** Error code for a file that the service's own tools did not create. */
const notDownloadable = 'file_not_downloadable';

/** Parses an error body. Adds a hint for a file that cannot be downloaded, because the service's message has none. */
export function fault(status: number, body: string): ProviderFault {
  const parsed = anthropicFault(status, body);
  return isNotDownloadable(parsed) ? { ...parsed, hint: `The service returns only files that its tools created. ${requestsHint}` } : parsed;
}

function isNotDownloadable({ message, extra }: ProviderFault): boolean {
  const details = extra?.['details'];
  return (isJsonObject(details) && details['error_code'] === notDownloadable) || /not (?:be )?download/i.test(message);
}
