import type { JsonObject } from '../../../core/json/merge.ts';

/** Copies the cache mark of an object. Some client libraries write null for none. */
export const cacheOf = ({ cache_control: mark }: JsonObject): JsonObject =>
  mark === undefined || mark === null ? {} : { cache_control: mark };
