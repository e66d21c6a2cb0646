import type { Dropped } from '../../../core/provider.ts';

/** A pattern for the start of a name in the common format, and its replacement in the client's format. */
export type NameRule = readonly [hub: RegExp, own: string];

/** Renames the dropped parameters of a request in the common format to the names of the client's format, each once. */
export function renameDropped(dropped: readonly Dropped[], rules: readonly NameRule[], stream: boolean): readonly Dropped[] {
  const found = new Map<string, Dropped>();
  for (const one of dropped) {
    // The gateway added both itself. Blocks that are lost are named one by one.
    if (one.param === 'messages[].content_blocks' || (one.param.startsWith('stream_options') && stream)) continue;
    const row = rules.find(([hub]) => hub.test(one.param));
    const param = row === undefined ? one.param : one.param.replace(row[0], row[1]);
    if (!found.has(param)) found.set(param, { ...one, param });
  }
  return [...found.values()];
}
