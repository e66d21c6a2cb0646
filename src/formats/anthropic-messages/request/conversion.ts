import type { JsonObject } from '../../../core/json/merge.ts';
import type { Media } from '../../../core/provider.ts';
import type { Drops } from '../../shared/request/drops.ts';
import type { Position } from '../../shared/request/position.ts';
import type { ClaudeTraits } from './model.ts';

/** The service that runs the model: its vendor, Vertex AI with the vendor's format, or Bedrock, whose format is derived from this one. */
export type ClaudeSurface = 'direct' | 'vertex' | 'converse';

/** State of the conversion of one request. */
export interface MessagesConversion {
  readonly surface: ClaudeSurface;
  readonly position: Position;
  readonly media: ReadonlyMap<string, Media>;
  readonly traits: ClaudeTraits;
  /** The model rejects thinking of earlier turns, since it is not one of Anthropic's. */
  readonly rejectsThinking?: boolean;
  readonly drops: Drops;
  /** The API's own tools in the request, and `mcp:` with the name for servers. Their earlier steps may be sent back. */
  readonly offered: ReadonlySet<string>;
  /** Beta features of the API that the request needs. */
  readonly betas: Set<string>;
  /** Steps of earlier turns that called tools of the client, with the name of their tool. Their results follow in later turns. */
  readonly programs: Map<unknown, string>;
  /** Converts parts for which the service has its own form. Called before the API's own forms are tried. @throws GatewayError */
  convertPart?(part: JsonObject): Block | undefined;
}

/** A content block under construction: plain JSON. */
export type Block = Record<string, unknown>;

/** Copies `cache_control` of a message, part or tool. */
export const cacheControlOf = (object: JsonObject): Block =>
  object['cache_control'] === undefined ? {} : { cache_control: object['cache_control'] };

/** Builds a text block; undefined for blank text, which the API rejects. */
export function textBlock(text: unknown, from: JsonObject = {}): Block | undefined {
  return typeof text !== 'string' || text.trim() === '' ? undefined : { type: 'text', text, ...cacheControlOf(from) };
}
