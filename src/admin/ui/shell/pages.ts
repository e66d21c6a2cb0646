import type { ComponentType } from 'preact';
import type { IconName } from '../components/icon.tsx';
import { Catalog } from '../pages/catalog/index.tsx';
import { Configs } from '../pages/configs/index.tsx';
import { Keys } from '../pages/keys/index.tsx';
import { Overview } from '../pages/overview/index.tsx';
import { Prompts } from '../pages/prompts/index.tsx';
import { RequestPage } from '../pages/request/index.tsx';
import { Requests } from '../pages/requests/index.tsx';
import { System, systemViews } from '../pages/system/index.tsx';
import { TracePage } from '../pages/trace/index.tsx';

/** A page of the dashboard. The rest of the path is passed to it as `name`: `/requests/req_1` → `req_1`. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly view: ComponentType<{ name: string | undefined }>;
  /** Entry in the navigation, and the key that opens it after `g`. */
  readonly nav?: { readonly icon: IconName; readonly key: string };
  /** For a page without an entry: the page whose entry is highlighted. */
  readonly highlightedEntry?: string;
  /** Whether its path ends with a name: each one has its own, or only that of some views. By default it may. */
  readonly names?: 'always' | readonly string[];
}

export const pages: readonly Page[] = [
  { path: '/', title: 'Overview', view: Overview, names: [], nav: { icon: 'overview', key: 'o' } },
  { path: '/requests', title: 'Request', view: RequestPage, names: 'always' },
  { path: '/requests', title: 'Requests', view: Requests, nav: { icon: 'requests', key: 'r' } },
  { path: '/traces', title: 'Trace', view: TracePage, names: 'always', highlightedEntry: '/requests' },
  { path: '/configs', title: 'Configs', view: Configs, nav: { icon: 'configs', key: 'c' } },
  { path: '/catalog', title: 'Catalog', view: Catalog, nav: { icon: 'catalog', key: 'a' } },
  { path: '/prompts', title: 'Prompts', view: Prompts, nav: { icon: 'prompts', key: 'p' } },
  { path: '/keys', title: 'Keys', view: Keys, names: [], nav: { icon: 'keys', key: 'k' } },
  { path: '/system', title: 'System', view: System, names: systemViews, nav: { icon: 'system', key: 's' } },
];

export function pageAt(path: string): { readonly page: Page; readonly name: string | undefined } | undefined {
  for (const page of pages) {
    const rest = path === page.path ? '' : path.startsWith(`${page.path}/`) ? path.slice(page.path.length + 1) : undefined;
    if (rest === undefined) continue;
    const name = rest === '' ? undefined : decoded(rest);
    const isKnown = page.names === 'always' ? name !== undefined : name === undefined || (page.names?.includes(name) ?? true);
    if (isKnown) return { page, name };
  }
  return undefined;
}

/** A typed URL may contain a percent sign that is not an escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
