import type { JsonObject } from '../../../core/json/merge.ts';
import type { Media } from '../../../core/provider.ts';
import { textOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import type { Position } from '../../shared/request/position.ts';
import type { GeminiTraits } from '../model.ts';

/** The service that is called: Vertex AI, or the Gemini API with an API key. They differ in only a few fields. */
export type GeminiSurface = 'vertex' | 'developer';

/** Checks which stored files a request may refer to. */
export interface FileRules {
  /** @throws GatewayError */
  check(uri: string, param: string): void;
}

/** Settings of a provider for the conversion. */
export interface GeminiOptions {
  readonly surface: GeminiSurface;
  /** `original`: schemas are sent unchanged as JSON Schema; `converted`: as the service's own subset. */
  readonly schemas: 'converted' | 'original';
  /** If true, a function call without its signature gets the documented placeholder. */
  readonly signatureStandIn: boolean;
  /** If absent, every file is allowed. */
  readonly files?: FileRules | undefined;
}

/** State of the conversion of one request. */
export interface GenerateConversion {
  readonly options: GeminiOptions;
  readonly traits: GeminiTraits;
  readonly media: ReadonlyMap<string, Media>;
  readonly drops: Drops;
  readonly position: Position;
  /** `detail` of images, for older models, which have one resolution for the whole request. */
  readonly details: Set<string>;
  /** True if the client reads the reasoning of the response. */
  readonly showsThoughts: boolean;
}

/** A part or content under construction: plain JSON that may still be changed. */
export type Part = Record<string, unknown>;

export interface Content {
  role?: 'user' | 'model';
  parts: Part[];
}

/** True if an object has a member of one of these names. */
export function hasAny(object: JsonObject, names: ReadonlySet<string>): boolean {
  for (const key in object) if (names.has(key)) return true;
  return false;
}

/** Returns the value of the first alias that is set. */
export function oneOf(object: JsonObject, keys: readonly string[]): unknown {
  for (const key of keys) if (object[key] !== undefined && object[key] !== null) return object[key];
  return undefined;
}

/** Names under which clients send the signature of a part. */
export const signatureKeys = ['signature', 'thought_signature', 'thoughtSignature'] as const;

export const signatureIn = (part: JsonObject): string | undefined => textOf(oneOf(part, signatureKeys));

export const signed = (signature: string | undefined): Part => (signature === undefined ? {} : { thoughtSignature: signature });
