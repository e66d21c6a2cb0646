import type { Routed } from '#core/context.ts';
import { sizeOfPieces } from '#core/memory/byte-pieces.ts';
import { LruCache } from '#core/memory/lru-cache.ts';
import type { Attempt, CompleteResponse, Interception } from '#core/plan.ts';
import { definePlugin, type PluginHost, type PluginInstance } from '#core/plugin.ts';
import type { LocalPiece } from '#core/provider.ts';
import { isPrivate } from '#core/records/private-request.ts';
import type { CachePolicy } from '#core/target/cache-policy.ts';
import { booleanIn } from '#core/text/boolean-text.ts';
import { parseSize, sizePattern } from '#core/text/units.ts';
import { textOfKey } from './key.ts';

interface Options {
  readonly max_size?: string;
}

/** Default of `max_size`. */
const defaultSize = '64MB';
/** Bytes of the largest response that is stored. */
const maxResponseBytes = 1024 * 1024;
/** Bytes of a piece in which a stored response is sent, like the reads of a socket. */
const pieceBytes = 64 * 1024;
/** Memory of an entry besides its body, in bytes: the resident memory of 80,000 entries has this. */
const entryBytes = 1024;

/**
 * Responds from memory if the same caller has sent the same request upstream before (`cache` of a target). Stores
 * what the provider sent, so that a stored response is read, converted and recorded like a new one.
 */
export default definePlugin<Options>({
  name: 'cache',
  moments: ['send'],
  // Otherwise `cache` would have no effect without a word where plugins: does not list it, or in a config of a request.
  implied: 'last',
  options: {
    type: 'object',
    properties: {
      max_size: {
        type: 'string',
        pattern: sizePattern,
        description: 'Memory for stored responses in each worker process; the ones used least recently are removed first.',
        default: defaultSize,
      },
    },
    additionalProperties: false,
  },
  setup: ({ max_size: size = defaultSize }, host) => new Cache(host, parseSize(size) ?? 0),
});

interface StoredResponse {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Unix milliseconds. */
  readonly at: number;
}

class Cache implements PluginInstance {
  readonly #host: PluginHost;
  readonly #responses: LruCache<StoredResponse>;

  /** @param maxBytes estimated memory of all stored responses */
  constructor(host: PluginHost, maxBytes: number) {
    this.#host = host;
    this.#responses = host.shared(`responses:${maxBytes}`, () => new LruCache<StoredResponse>(maxBytes));
  }

  send(ctx: Routed, attempt: Attempt): Interception | undefined {
    const policy = attempt.target.cache;
    if (policy === undefined || ctx.mode === 'dry' || isPrivate(ctx)) return undefined;
    const text = textOfKey(ctx, attempt);
    if (text === undefined) return undefined;
    const key = this.#host.sha256(text);
    const keeper = { maxBytes: maxResponseBytes, keep: (response: CompleteResponse) => this.#store(key, response) };
    if (booleanIn(ctx.headers.gateway('cacheForceRefresh') ?? '') === true) return { status: 'REFRESH', keeper };
    // A retry is sent: the stored response may be what a `reply` plugin refused.
    const stored = attempt.tries > 0 ? undefined : this.#responses.get(key);
    if (stored === undefined || !isFresh(this.#host.now() - stored.at, policy)) return { status: 'MISS', keeper };
    const { contentType, bytes } = stored;
    return { status: 'HIT', answer: { status: 200, headers: { 'content-type': contentType }, pieces: piecesOf(bytes) } };
  }

  #store(key: string, { contentType, pieces }: CompleteResponse): void {
    const bytes = copyOf(pieces);
    this.#responses.set(key, { contentType, bytes, at: this.#host.now() }, bytes.length + contentType.length + entryBytes);
  }
}

/** @param ageMs negative if the system time was set back */
const isFresh = (ageMs: number, { maxAgeMs }: CachePolicy): boolean => ageMs >= 0 && ageMs < maxAgeMs;

/** The pieces in memory of their own: they may be parts of much larger buffers. */
function copyOf(pieces: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(sizeOfPieces(pieces));
  let at = 0;
  for (const piece of pieces) at += piece.copy(bytes, at);
  return bytes;
}

/** A client that reads slowly must not have all of the response in its buffers. */
function piecesOf(bytes: Buffer): readonly LocalPiece[] {
  const pieces: LocalPiece[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push({ text: bytes.subarray(at, at + pieceBytes) });
  return pieces;
}
