import type { Plain } from '../../../core/json/merge.ts';
import type { Media } from '../../../core/provider.ts';
import type { Drops } from '../../shared/request/drops.ts';
import type { ModelTraits } from './model.ts';

/** Who serves the model: its vendor, Vertex AI with the vendor's format, or Bedrock, whose format is made of this one. */
export type Surface = 'direct' | 'vertex' | 'converse';

/** One request under conversion. */
export interface Conversion {
  readonly form: Surface;
  readonly media: ReadonlyMap<string, Media>;
  readonly traits: ModelTraits;
  readonly drops: Drops;
  /** Tools of the API's own that the request offers, and `mcp:` with the name for servers: their steps may come back. */
  readonly offered: ReadonlySet<string>;
  /** Features of the API that the request turns out to need. */
  readonly betas: Set<string>;
  /** Parts that the service takes in a form of its own: asked before the API's own forms. @throws GatewayError */
  own?(part: Plain): Block | undefined;
}

/** A content block on its way: plain JSON. */
export type Block = Record<string, unknown>;

/** `cache_control` of a message, part or tool, kept wherever it is. */
export const cacheOf = (object: Plain): Block => (object['cache_control'] === undefined ? {} : { cache_control: object['cache_control'] });

/** A text block; undefined for blank text, which the API refuses. */
export function textBlock(text: unknown, from: Plain = {}): Block | undefined {
  return typeof text !== 'string' || text.trim() === '' ? undefined : { type: 'text', text, ...cacheOf(from) };
}
