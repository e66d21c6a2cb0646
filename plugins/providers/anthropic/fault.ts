import type { ProviderFault } from '#core/error.ts';
import { isPlain } from '#core/json/merge.ts';
import { anthropicFault } from '#formats/anthropic-messages/fault.ts';
import { requestsHint } from './batches/create.ts';

/** The word of the API for a file that its own tools did not make. */
const notDownloadable = 'file_not_downloadable';

/** Reads an error body; a file that the service doesn't hand out is the one thing about which it doesn't say what to do. */
export function fault(status: number, body: string): ProviderFault {
  const read = anthropicFault(status, body);
  return isNotDownloadable(read) ? { ...read, hint: `The service returns only files that its tools created. ${requestsHint}` } : read;
}

function isNotDownloadable({ message, extra }: ProviderFault): boolean {
  const details = extra?.['details'];
  return (isPlain(details) && details['error_code'] === notDownloadable) || /not (?:be )?download/i.test(message);
}
