import type { Call } from '#core/provider.ts';
import { memo } from '../../_shared/address.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import type { VertexSettings } from '../settings.ts';
import { objectOf } from './object-id.ts';
import { checkBucket } from './storage.ts';

const ofEntry = memo(
  (settings: VertexSettings): FileRules => ({
    check: (uri, param) => checkBucket(settings, objectOf(uri, param), param),
  }),
);

/**
 * Which files a request may name by address where Vertex AI reads them itself: those of the buckets that the entry names,
 * if it names any. A caller's own credential opens what it opens.
 */
export function fileRules({ settings, credential }: Pick<Call<VertexSettings>, 'settings' | 'credential'>): FileRules | undefined {
  if (credential === 'caller' || credential === 'forwarded') return undefined;
  return settings.storage_bucket === undefined && settings.media?.buckets === undefined ? undefined : ofEntry(settings);
}
