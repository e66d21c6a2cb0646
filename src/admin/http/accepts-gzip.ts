import type { IncomingMessage } from 'node:http';

const gzipCoding = /(?:^|,)\s*gzip\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?:,|$)/i;

/** True if a request accepts gzip. A quality of 0 forbids it (RFC 9110 12.5.3). */
export function acceptsGzip({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const found = gzipCoding.exec(String(headers['accept-encoding'] ?? ''));
  return found !== null && Number(found[1] ?? 1) > 0;
}
