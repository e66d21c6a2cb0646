import type { Plain } from '../../../core/json/merge.ts';

/** Copies the cache mark of an object. Some client libraries write null for none. */
export const cacheOf = ({ cache_control: mark }: Plain): Plain => (mark === undefined || mark === null ? {} : { cache_control: mark });
