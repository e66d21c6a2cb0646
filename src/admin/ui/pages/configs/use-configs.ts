import type { ConfigPage, ConfigView } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { useLoad } from '../../browser/load.ts';
import { loadEntry } from '../../parts/use-list-and-entry.ts';

export interface TypedConfig {
  /** Names that match, at most those of one page. */
  readonly names: readonly string[];
  /** The config with exactly this name. */
  readonly chosen: ConfigView | undefined;
}

/** The configs that match the typed text. @param shown config of the page, which is not loaded again */
export function useConfigs(typed: string, shown: ConfigView | undefined): TypedConfig {
  const { data: page } = useLoad((signal) => get<ConfigPage>('/api/configs', { q: typed }, signal), [typed]);
  const names = (page?.configs ?? []).map(({ name }) => name);
  const mayExist = typed !== '' && page !== undefined && (names.includes(typed) || page.total > names.length);
  const isOther = mayExist && typed !== shown?.name;
  const other = useLoad(
    async (signal) => (isOther ? loadEntry<ConfigView>('/api/configs', typed, signal) : undefined),
    [isOther ? typed : undefined],
  );
  return { names, chosen: [shown, other.data].find((config) => config?.name === typed) };
}
