import type { Plain } from '../../../core/json/merge.ts';
import type { Media } from '../../../core/provider.ts';
import type { Drops } from '../../shared/request/drops.ts';
import type { ModelTraits } from '../model.ts';

/** Which of the two services is spoken to: they differ in a few fields only. */
export type Surface = 'vertex' | 'developer';

/** Which stored files a request may name by address. */
export interface FileRules {
  /** @throws GatewayError */
  check(uri: string, param: string): void;
}

/** What an entry says about conversion. */
export interface GeminiOptions {
  readonly surface: Surface;
  /** `original`: schemas go out as JSON Schema, untouched; `converted`: as the service's own subset. */
  readonly schemas: 'converted' | 'original';
  /** Whether a function call without its signature gets the documented stand-in. */
  readonly signatureStandIn: boolean;
  /** Absent where every file may be named. */
  readonly files?: FileRules | undefined;
}

/** One request under conversion. */
export interface Conversion {
  readonly options: GeminiOptions;
  readonly traits: ModelTraits;
  readonly media: ReadonlyMap<string, Media>;
  readonly drops: Drops;
  /** `detail` of images, for the request's one resolution: older models have no other. */
  readonly details: Set<string>;
  /** The client reads the thoughts of the answer. */
  readonly showsThoughts: boolean;
}

/** A part or content on its way: plain JSON that may still be added to. */
export type Part = Record<string, unknown>;

export interface Content {
  role?: 'user' | 'model';
  parts: Part[];
}

/** Whether an object has a member of one of these names. */
export function hasAny(object: Plain, names: ReadonlySet<string>): boolean {
  for (const key in object) if (names.has(key)) return true;
  return false;
}

/** Key spellings of one member: the first that is set. */
export function oneOf(object: Plain, keys: readonly string[]): unknown {
  for (const key of keys) if (object[key] !== undefined && object[key] !== null) return object[key];
  return undefined;
}
