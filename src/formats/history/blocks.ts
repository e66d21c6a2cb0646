import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { parseExact } from '../../core/json/scan.ts';
import { parseObject, listOf } from '../shared/json.ts';

/** One block of `content_blocks`. `gap` is the number of empty positions before it, where calls were. */
export interface PlacedBlock {
  readonly block: JsonObject;
  readonly gap: number;
}

/** Members of a delta that are appended to the earlier value. */
const appendedMembers: ReadonlySet<string> = new Set(['text', 'thinking', 'signature', 'data', 'partial_json', 'content']);

/**
 * Returns the blocks of an assistant message in order, for all forms in which clients keep them: as in whole responses, joined
 * from the deltas of a stream, or as the list of these deltas (`{index, delta}`).
 */
export function placedBlocks(list: readonly unknown[]): readonly PlacedBlock[] {
  return list.some((one) => isJsonObject(one) && isJsonObject(one['delta'])) ? fromDeltas(list.filter(isJsonObject)) : fromList(list);
}

function fromList(list: readonly unknown[]): readonly PlacedBlock[] {
  const out: PlacedBlock[] = [];
  let gap = 0;
  for (const one of list) {
    if (isJsonObject(one)) {
      const { index: _index, ...block } = one;
      out.push({ block: whole(block), gap });
      gap = 0;
    } else gap += 1;
  }
  return out;
}

/** A block while its deltas are being joined. */
interface PartialBlock {
  readonly members: Map<string, unknown>;
  readonly citations: unknown[];
}

function fromDeltas(list: readonly JsonObject[]): readonly PlacedBlock[] {
  const byIndex = new Map<number, PartialBlock>();
  for (const one of list) {
    const index = typeof one['index'] === 'number' ? one['index'] : byIndex.size;
    const known = byIndex.get(index) ?? { members: new Map<string, unknown>(), citations: [] };
    byIndex.set(index, known);
    if (isJsonObject(one['delta'])) grow(known, one['delta']);
  }
  let last = -1;
  return [...byIndex]
    .toSorted(([a], [b]) => a - b)
    .map(([index, { members, citations }]) => {
      const gap = Math.max(0, index - last - 1);
      last = index;
      if (citations.length > 0) members.set('citations', [...listOf(members.get('citations')), ...citations]);
      return { block: whole(Object.fromEntries(members)), gap };
    });
}

function grow({ members, citations }: PartialBlock, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    const before = members.get(key);
    if (key === 'citation') citations.push(value);
    else members.set(key, appendedMembers.has(key) && typeof before === 'string' && typeof value === 'string' ? before + value : value);
  }
}

/** Converts members that occur only in streams to those of a whole block. */
function whole(block: JsonObject): JsonObject {
  const { partial_json: json, citation, ...rest } = block;
  return {
    ...rest,
    ...(typeof json === 'string' ? { input: parseObject(json, parseExact) ?? {} } : {}),
    ...(citation !== undefined && rest['citations'] === undefined ? { citations: [citation] } : {}),
  };
}
