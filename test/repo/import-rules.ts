/**
 * Who may import whom: one table for the linter (`oxlint.config.ts`) and for the test that reads the real imports.
 * Paths are folders or files below the root, with `/` and no leading dot.
 */

/** `from` may reach `to` and nothing else of ours; the first row whose `from` fits a file holds for it. */
export const folderRules: readonly { readonly from: string; readonly to: readonly string[] }[] = [
  { from: 'src/core', to: ['src/core'] },
  { from: 'src/config', to: ['src/config', 'src/core'] },
  { from: 'src/formats', to: ['src/formats', 'src/core'] },
  { from: 'src/pricing', to: ['src/pricing', 'src/core'] },
  { from: 'src/query', to: ['src/query', 'src/core'] },
  { from: 'src/store', to: ['src/store', 'src/query', 'src/core'] },
  { from: 'src/admin/ui', to: ['src/admin/ui', 'src/admin/api-types.ts', 'src/admin/provider-order.ts', 'src/query', 'src/core'] },
  { from: 'src/manage', to: ['src/manage', 'src/config', 'src/formats', 'src/transport', 'src/core'] },
  { from: 'src/admin', to: ['src/admin', 'src/manage', 'src/config', 'src/query', 'src/transport', 'src/core'] },
  { from: 'src/telemetry', to: ['src/telemetry', 'src/core'] },
  { from: 'src/openapi', to: ['src/openapi', 'src/core'] },
  { from: 'src/pipeline', to: ['src/pipeline', 'src/core'] },
  { from: 'src/explain', to: ['src/explain', 'src/core', 'src/config', 'src/pipeline', 'src/formats', 'src/transport'] },
  { from: 'src/testing', to: ['src/testing', 'src/explain', 'src/core', 'src/config', 'src/pipeline', 'src/formats', 'src/transport'] },
  { from: 'src/transport/wire', to: ['src/transport/wire', 'src/core'] },
  { from: 'src/transport/inbound', to: ['src/transport/inbound', 'src/transport/wire', 'src/core'] },
  { from: 'src/transport/outbound', to: ['src/transport/outbound', 'src/transport/credentials', 'src/transport/wire', 'src/core'] },
  { from: 'src/transport', to: ['src/transport', 'src/core'] },
];

/** Folders whose neighbours are closed to each other: `plugins/auth` may not reach `plugins/routing`. */
export const pluginRoots = ['plugins', 'plugins/providers'] as const;

/** What every provider may use beside its own folder; a folder of `plugins/providers` whose name begins with `_`. */
export const sharedProviderFolders = ['plugins/providers/_shared', 'plugins/providers/_azure', 'plugins/providers/_google'] as const;

/** Node modules and globals that plugins may not touch: they get what they need through `PluginHost`. */
export const closedToPlugins = {
  modules: ['fs', 'fs/promises', 'http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'child_process', 'worker_threads', 'process'],
  globals: ['process', 'fetch', 'setInterval', 'XMLHttpRequest', 'WebSocket'],
} as const;

/** One wrapper a library: outside these files (or folders) nobody imports it. */
export const wrappers: Readonly<Record<string, readonly string[]>> = {
  '@pydantic/genai-prices': ['src/pricing/library.ts'],
  ajv: ['src/config/validate/schemas/ajv.ts'],
  'ajv-formats': ['src/config/validate/schemas/ajv.ts'],
  chokidar: ['src/config/reload/watch.ts'],
  commander: ['src/cli/builders.ts', 'src/cli/index.ts'],
  'google-auth-library': ['src/transport/credentials/grants/google-ambient.ts'],
  jose: ['src/transport/credentials/grants/jwt-bearer.ts', 'src/transport/credentials/jwt.ts'],
  mime: ['src/formats/shared/media/mime.ts'],
  mustache: ['src/config/validate/template.ts'],
  '@preact/signals': ['src/admin/ui'],
  preact: ['src/admin/ui'],
  uplot: ['src/admin/ui/charts/plot.ts'],
  pg: ['src/store/log/postgres/client.ts'],
  pino: ['src/telemetry/log.ts'],
  re2js: ['src/config/validate/regex.ts'],
  undici: ['src/transport/outbound/upstream.ts', 'src/transport/outbound/pools.ts'],
  yaml: ['src/config/read/yaml/parse.ts', 'src/config/edit/document.ts', 'src/config/edit/new-entry.ts'],
};

/** Where the rules hold: tests and benchmarks are the other side of every interface and may use anything. */
export const ruledFolders = ['src', 'plugins'] as const;
