import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { tryParseObject } from '../../core/json/scan.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { retryAfterMs } from '../../core/provider/retry-after.ts';
import { Agent as HttpAgent, request as requestHttp } from '../../core/node-http.ts';
import { proxyFault } from '../../core/http/connection-fault.ts';
import { errorCode } from '../../core/text/error-code.ts';

export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A collector's response to one export. */
export type SendResult =
  | { readonly kind: 'accepted'; readonly rejected: number; readonly why: string | undefined }
  /** May be sent again, after `afterMs` if given. */
  | { readonly kind: 'retry'; readonly afterMs: number | undefined; readonly why: string }
  /** `isTooLarge`: a part of it may be accepted. */
  | { readonly kind: 'refused'; readonly isTooLarge: boolean; readonly why: string };

/** Statuses that a client should retry (OTLP/HTTP, "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Maximum number of bytes read from a response. The connection of a longer one is closed. */
const maxReadBytes = 64 * 1024;
/** Maximum pause that a collector can request. */
const longestWaitMs = 3_600_000;

const zip = promisify(gzip);

/** Sends exports over keep-alive connections. One export at a time is sufficient. */
export class Sender {
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 2 });
  readonly #https: HttpsAgent;
  readonly #timeoutMs: number;

  /** @param timeoutMs for one export, including its response */
  constructor({ timeoutMs = 10_000, https = new HttpsAgent({ keepAlive: true, maxSockets: 2 }) } = {}) {
    this.#timeoutMs = timeoutMs;
    this.#https = https;
  }

  /** Never rejects. */
  async send({ url, headers }: Collector, payload: string): Promise<SendResult> {
    try {
      const body = await zip(payload);
      const { status, retryAfter, text } = await this.#post(url, headers, body);
      if (status >= 200 && status < 300) return acceptedOf(text);
      const why = `status ${status}`;
      return retryable.has(status)
        ? { kind: 'retry', afterMs: waitOf(retryAfter), why }
        : { kind: 'refused', isTooLarge: status === 413, why };
    } catch (error) {
      return { kind: 'retry', afterMs: undefined, why: reasonOf(error) };
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<{ status: number; retryAfter: string | undefined; text: string }> {
    const isSecure = url.startsWith('https:');
    const own = { 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': String(body.length) };
    // For the whole exchange: a collector that responds very slowly must not block the queue.
    const signal = AbortSignal.timeout(this.#timeoutMs);
    return new Promise((resolve, reject) => {
      // A request that still waits for its connection reports the end of its time only when it has one.
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      const sent = (isSecure ? requestHttps : requestHttp)(
        url,
        {
          method: 'POST',
          agent: isSecure ? this.#https : this.#http,
          headers: { 'user-agent': 'llm-gateway', ...headers, ...own },
          signal,
        },
        (response) => {
          const {
            statusCode: status = 0,
            headers: { 'retry-after': retryAfter, 'content-encoding': encoding },
          } = response;
          const pieces: Buffer[] = [];
          let size = 0;
          const finish = (): void => resolve({ status, retryAfter, text: textOf(Buffer.concat(pieces), encoding) });
          response.on('data', (piece: Buffer) => {
            pieces.push(piece);
            size += piece.length;
            if (size < maxReadBytes) return;
            finish();
            response.destroy();
          });
          response.on('end', finish);
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** Returns the body; empty if it is compressed and cannot be decompressed. */
function textOf(body: Buffer, encoding: string | undefined): string {
  if (encoding !== 'gzip') return body.toString('utf8');
  try {
    return gunzipSync(body, { maxOutputLength: maxReadBytes }).toString('utf8');
  } catch {
    return '';
  }
}

/** A collector may accept an export and still reject a part of it. */
function acceptedOf(text: string): SendResult {
  const partial = text === '' ? undefined : tryParseObject(text)?.['partialSuccess'];
  if (!isJsonObject(partial)) return { kind: 'accepted', rejected: 0, why: undefined };
  const rejected = Number(partial['rejectedSpans'] ?? partial['rejectedLogRecords'] ?? 0);
  const why = typeof partial['errorMessage'] === 'string' ? partial['errorMessage'].slice(0, 200) : undefined;
  return { kind: 'accepted', rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0, why };
}

function waitOf(retryAfter: string | undefined): number | undefined {
  const ms = retryAfter === undefined ? undefined : retryAfterMs({ 'retry-after': retryAfter }, Date.now());
  return ms === undefined ? undefined : Math.min(ms, longestWaitMs);
}

/** Returns the reason without the URL, which may contain a key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown fault';
  // A request aborted by its timeout signal fails with AbortError; only its cause is the TimeoutError.
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no response in time';
  return proxyFault(error) ?? (errorCode(error) || error.name);
}
