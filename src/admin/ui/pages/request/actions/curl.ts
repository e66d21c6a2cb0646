import type { LogRecord } from '../../../../../core/records/record.ts';

/** Headers that curl or the gateway writes by itself, and those whose values are not kept. */
const left =
  /^(?:host|content-length|connection|accept-encoding|transfer-encoding|user-agent|expect|keep-alive|x-request-id|traceparent)$/i;
const secret = /^(?:authorization|x-api-key|api-key|x-goog-api-key|x-gateway-api-key|x-portkey-api-key|cookie)$/i;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const hadBody = ({ request, bytes }: LogRecord): boolean => request.body !== null || bytes.in > 0;

/** The request as its client sent it, for a shell; secrets are variables of the shell. `body` undefined: it is not kept. */
export function curlOf(record: LogRecord, gateway: string, body: string | undefined): string {
  const parts = [`curl ${quoted(gateway + record.path)}`];
  if (record.method !== 'POST' || !hadBody(record)) parts.push(`-X ${record.method}`);
  for (const [name, value] of Object.entries(record.request.headers)) {
    if (left.test(name)) continue;
    const isSecret = secret.test(name) || value.includes('•');
    // A bare variable in double quotes: the shell fills it in.
    if (isSecret)
      parts.push(/^authorization$/i.test(name) ? '-H "authorization: Bearer $GATEWAY_API_KEY"' : `-H "${name}: $GATEWAY_API_KEY"`);
    else parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  if (body !== undefined) parts.push(`--data-raw ${quoted(body)}`);
  else if (hadBody(record)) parts.push('--data-binary @body');
  return parts.join(' \\\n  ');
}
