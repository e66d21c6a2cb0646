import { Explainer } from '../../explain/explainer.ts';
import { buildOffline, type OfflineRequest } from './offline.ts';

export interface OpenExplainer {
  readonly explainer: Explainer;
  close(): Promise<void>;
}

/**
 * Sets up a loaded configuration for explaining, without a network.
 *
 * @throws Error when a plugin can't be set up
 */
export async function openExplainer(request: OfflineRequest): Promise<OpenExplainer> {
  const { generation, ...offline } = await buildOffline(request);
  const explainer = new Explainer({ ...offline, generation, tree: request.loaded.tree, clock: request.clock });
  return { explainer, close: () => generation.dispose() };
}
