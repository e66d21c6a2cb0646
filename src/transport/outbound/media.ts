import type { MemoryReservation } from '../../core/memory/budget.ts';
import { GatewayError } from '../../core/error.ts';
import { emptyBody } from '../../core/json/body.ts';
import type { MediaSigner } from '../../core/plugin.ts';
import type { Media, MediaNeed, UpstreamAddress } from '../../core/provider.ts';
import type { Trust } from '../../core/snapshot.ts';
import { formatSize } from '../../core/text/units.ts';
import { type FetchedResponse, FetchFault, fetchResponse } from './fetch-response.ts';
import type { Upstream } from './upstream.ts';
import type { WireRequest } from '../wire/request.ts';
import { codingsOf, decode, DecodeFault } from '../wire/decode.ts';

export interface MediaDeps {
  readonly upstream: Upstream;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
}

/**
 * Downloads the files of one request.
 *
 * @param hold counts them; its owner closes it when the request is over
 * @throws GatewayError `media_fetch_failed`, `not_allowed`, `overloaded`
 */
export type FetchMedia = (
  needs: readonly MediaNeed[],
  hold: MemoryReservation,
  signer?: MediaSigner,
) => Promise<ReadonlyMap<string, Media>>;

/** Maximum number of files of one request, because the gateway downloads all of them. */
const maxFiles = 256;
/** Maximum concurrent downloads of one request. */
const concurrency = 4;
/** Bytes of all files of one request: they are held in memory, and go upstream as base64. */
const totalLimit = 64 * 1024 * 1024;
/**
 * Memory used by a file until its request has ended, in multiples of its size: its bytes or base64, the text of the body that
 * contains it, and what is sent.
 */
const memoryFactor = 4;
const clocks = { connectMs: 5000, totalMs: 30_000 } as const;

/**
 * Files that clients name by URL and a provider can't fetch. The URLs come with requests: https and public addresses
 * only, unless `server.egress.allow` opens others; redirects are refused.
 */
export function createMedia(deps: MediaDeps): FetchMedia {
  return async (needs, hold, signer) => {
    const take = (bytes: number): void => hold.take(bytes * memoryFactor);
    const found = new Map<string, Media>();
    const queue = [...new Map(needs.map((need) => [need.url, need])).values()];
    if (queue.length > maxFiles) throw tooMany(queue.length);
    let remainingBytes = totalLimit;
    let failed = false;
    const worker = async (): Promise<void> => {
      for (let need = queue.shift(); need !== undefined && !failed; need = queue.shift()) {
        // Throws if the client has disconnected.
        take(0);
        const limit: SizeLimit =
          remainingBytes < need.maxBytes
            ? { maxBytes: remainingBytes, reason: exceedsTotal }
            : { maxBytes: need.maxBytes, reason: `is larger than ${formatSize(need.maxBytes)}` };
        const { body, mimeType } = await download(deps, need, { limit, take, signer });
        remainingBytes -= body.length;
        if (remainingBytes < 0) throw failure(need.url, exceedsTotal);
        found.set(need.url, { mimeType, base64: body.toString('base64') });
      }
    };
    const workers = Array.from({ length: Math.min(concurrency, queue.length) }, worker);
    try {
      await Promise.all(workers);
    } catch (error) {
      failed = true;
      throw error;
    }
    return found;
  };
}

type CountBytes = (bytes: number) => void;

/** The size that a file may have, and what the error says about a larger one. */
interface SizeLimit {
  readonly maxBytes: number;
  readonly reason: string;
}

const exceedsTotal = `is too large: all files of a request together may have ${formatSize(totalLimit)}`;

interface DownloadOptions {
  readonly limit: SizeLimit;
  readonly take: CountBytes;
  readonly signer: MediaSigner | undefined;
}

async function download(
  deps: MediaDeps,
  need: MediaNeed,
  { limit, take, signer }: DownloadOptions,
): Promise<{ body: Buffer; mimeType: string }> {
  const { url: text } = need;
  const { request, trust } = need.from === undefined ? plainRequest(deps, text) : await signedRequest(deps, text, need.from, signer);
  let response: FetchedResponse;
  try {
    response = await fetchResponse(deps.upstream, request, { ...clocks, trust, maxBytes: limit.maxBytes, onBytes: take });
  } catch (error) {
    throw faultOf(text, error, limit);
  }
  const { status } = response;
  if (status >= 300 && status < 400) throw failure(text, `returned a redirect (${status}); the gateway does not follow redirects`);
  if (status !== 200) throw failure(text, `returned ${status}`, status >= 500 ? 502 : 400);
  return {
    body: await decodedBody(response, text, limit, take),
    mimeType: (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
  };
}

interface PreparedRequest {
  readonly request: WireRequest;
  readonly trust: Trust;
}

function plainRequest(deps: MediaDeps, text: string): PreparedRequest {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The host is checked as written, because URL parsers interpret unusual notations differently.
  const written = /^https?:\/\/[^/?#]*/i.exec(text)?.[0];
  if (url === undefined || written === undefined) throw failure(text, 'is not an http or https URL');
  const refusal = deps.checkEgress(written, 'request');
  if (refusal !== undefined) throw refusal;
  const request: WireRequest = { method: 'GET', origin: url.origin, path: url.pathname + url.search, headers, body: emptyBody };
  return { request, trust: 'request' };
}

/** A file in the provider's own storage. The provider type determines its address, as for the attempt's request. */
async function signedRequest(
  deps: MediaDeps,
  text: string,
  { origin, path, headers: signedHeaders }: UpstreamAddress,
  signer: MediaSigner | undefined,
): Promise<PreparedRequest> {
  if (signer === undefined) throw failure(text, 'cannot be read without a credential');
  const { trust } = signer;
  const refusal = deps.checkEgress(origin, trust);
  if (refusal !== undefined) throw refusal;
  const request = { method: 'GET', origin, path, headers: headers.concat(signedHeaders ?? []), body: emptyBody };
  return { request: { ...request, headers: request.headers.concat(await signer.sign({ ...request, dropped: [] })) }, trust };
}

/** Some hosts of pictures refuse clients without a name. */
const headers: string[] = ['accept', '*/*', 'user-agent', 'llm-gateway'];

async function decodedBody(response: FetchedResponse, url: string, limit: SizeLimit, take: CountBytes): Promise<Buffer> {
  const codings = codingsOf(response.headers['content-encoding']);
  const body = await decode(response.body, codings, limit.maxBytes, take).catch((fault: unknown) => {
    if (!(fault instanceof DecodeFault)) throw fault;
    const what = fault.kind === 'too-large' ? limit.reason : `could not be decompressed (${fault.coding})`;
    throw failure(url, what, 400, fault);
  });
  if (body.length === 0) throw failure(url, 'is empty');
  return body;
}

function faultOf(url: string, error: unknown, limit: SizeLimit): GatewayError {
  if (!(error instanceof FetchFault)) return failure(url, 'could not be downloaded', 502, error);
  if (error.refusal !== undefined) return error.refusal;
  if (error.kind === 'too-large') return failure(url, limit.reason);
  return failure(url, `could not be downloaded: ${error.message}`, 502, error);
}

const tooMany = (count: number): GatewayError =>
  new GatewayError('media_fetch_failed', {
    message: `The request names ${count} files by URL; the gateway downloads at most ${maxFiles} of them.`,
    status: 400,
    hint: 'Send files as data URIs.',
  });

/** Without the query: it often is a signature. */
function failure(url: string, what: string, status = 400, cause?: unknown): GatewayError {
  const shown = (url.split(/[?#]/)[0] ?? '').slice(0, 200);
  return new GatewayError('media_fetch_failed', {
    message: `The file "${shown}" ${what}.`,
    status,
    hint: 'Send the file as a data URI, or name one that the gateway can reach.',
    ...(cause === undefined ? {} : { cause }),
  });
}
