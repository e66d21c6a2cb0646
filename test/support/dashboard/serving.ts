import type {
  ConfigFiles,
  ConfigPage,
  ConfigView,
  EffectiveConfig,
  KeyChange,
  KeyPage,
  KeyView,
  ListPage,
  PlanResult,
  PromptPage,
  PromptRender,
  PromptTry,
  PromptView,
  ProviderPage,
  ProviderTest,
  ProviderView,
  ReloadVerdict,
  RevisionView,
} from '../../../src/admin/api-types.ts';
import { pageOf } from '../../../src/admin/views/page.ts';
import { GatewayError } from '../../../src/core/error.ts';
import type { Explanation } from '../../../src/core/logs/explanation.ts';

/** The configuration of a gateway, as its admin routes return it. */
export interface Serving {
  revisions: readonly RevisionView[];
  config: EffectiveConfig & ConfigFiles;
  configs: readonly ConfigView[];
  providers: readonly ProviderView[];
  prompts: readonly PromptView[];
  keys: readonly KeyView[];
  /** Response of POST /api/explain. */
  explanation: Explanation | undefined;
  verdict: Partial<ReloadVerdict>;
  plan: (files: Readonly<Record<string, string>>) => PlanResult;
  keyChange: KeyChange;
  providerTest: ProviderTest;
  render: (variables: Readonly<Record<string, string>>) => PromptRender;
  tried: PromptTry;
  /** Calls that change something: method, path, body. */
  readonly calls: { readonly method: string; readonly path: string; readonly body: unknown }[];
}

export interface Reply {
  readonly status: number;
  readonly json: unknown;
}

/** The configuration routes over values in memory; undefined for an unknown route. */
export function servingReply(serving: Serving, method: string, { pathname: path, searchParams }: URL, body: unknown): Reply | undefined {
  if (method === 'GET') {
    const match =
      (
        {
          '/api/revisions': serving.revisions,
          '/api/config': configPart(serving, searchParams),
          '/api/config/files': filesPart(serving, searchParams),
        } as Readonly<Record<string, unknown>>
      )[path] ?? listReply(serving, path, searchParams);
    return match === undefined ? undefined : { status: 200, json: match };
  }
  serving.calls.push({ method, path, body });
  const value = changeReply(serving, path, body);
  return value === undefined ? undefined : { status: 200, json: value };
}

function configPart({ config }: Serving, query: URLSearchParams): EffectiveConfig {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const values = config.values.filter((value) => {
    if (value.origin === 'default' && query.get('defaults') === 'false') return false;
    const text = `${value.path} ${value.value} ${value.origin === 'default' ? 'default' : `${value.origin.file}:${value.origin.line}`}`;
    return words.every((word) => text.toLowerCase().includes(word));
  });
  const { revision } = config;
  return { revision, values: values.slice(0, Number(query.get('limit') ?? values.length)), total: values.length };
}

function filesPart({ config }: Serving, query: URLSearchParams): ConfigFiles {
  const { revision, diagnostics, errors, warnings } = config;
  const textOf = query.get('text_of');
  const files = config.files.map(({ path, text }) => ({ path, text: textOf === 'all' || textOf === path ? text : null }));
  return { revision, files, diagnostics, errors, warnings };
}

/** A page of a list, or one of its entries. @throws GatewayError if it has no such entry */
function listReply({ configs, providers, prompts, keys }: Serving, path: string, query: URLSearchParams): unknown {
  const [, , list, name] = path.split('/').map(decodeURIComponent);
  const reply = <T>(
    all: readonly T[],
    nameOf: (entry: T) => string,
    replyOf: (entries: readonly T[], page: ListPage) => unknown,
  ): unknown => {
    if (name !== undefined) return all.find((entry) => nameOf(entry) === name) ?? notFound(list);
    const number = (parameter: string, defaultValue: number): number => Number(query.get(parameter) ?? defaultValue);
    const wanted = { words: query.get('q') ?? '', limit: number('limit', 50), offset: number('offset', 0) };
    const { entries, page } = pageOf(all, { ...wanted, around: query.get('around') ?? undefined }, nameOf);
    return replyOf(entries, page);
  };
  switch (list) {
    case 'configs':
      return reply(
        configs,
        (one) => one.name,
        (entries, page): ConfigPage => ({ configs: entries.map(({ name: shown, root: { live } }) => ({ name: shown, live })), ...page }),
      );
    case 'providers':
      return reply(
        providers,
        ({ slug }) => slug,
        (entries, page): ProviderPage => ({ providers: entries, ...page }),
      );
    case 'prompts':
      return reply(
        prompts,
        ({ id }) => id,
        (entries, page): PromptPage => ({ prompts: entries.map(({ id, versions }) => ({ id, version_count: versions.length })), ...page }),
      );
    case 'keys':
      return reply(
        keys,
        (one) => one.name,
        (entries, page): KeyPage => ({ keys: entries, ...page }),
      );
    default:
      return undefined;
  }
}

function notFound(list: string | undefined): never {
  const code = list === 'configs' ? 'config_not_found' : list === 'prompts' ? 'prompt_not_found' : 'provider_not_found';
  throw new GatewayError(code, { message: 'There is none.', hint: 'Did you mean another?' });
}

function changeReply(serving: Serving, path: string, body: unknown): unknown {
  const { revision } = serving.config;
  const verdict = {
    result: 'unchanged',
    revision,
    changes: [],
    restart_needed: [],
    diagnostics: [],
    errors: 0,
    warnings: 0,
    reason: null,
    ...serving.verdict,
  };
  if (path === '/api/reload' || path === '/api/rollback') return verdict;
  if (path === '/api/drain') return { in_flight: 2 };
  if (path === '/api/plan') return planOf(serving, body);
  if (path === '/api/check') {
    const { ok, revision: checked, diagnostics, errors, warnings } = planOf(serving, body);
    return { ok, revision: checked, diagnostics, errors, warnings };
  }
  if (path === '/api/explain') return serving.explanation;
  if (path.startsWith('/api/keys')) return serving.keyChange;
  if (path.endsWith('/test')) return serving.providerTest;
  if (path.endsWith('/render')) return serving.render((body as { variables: Record<string, string> }).variables);
  if (path.endsWith('/try')) return serving.tried;
  return undefined;
}

const planOf = (serving: Serving, body: unknown): PlanResult => serving.plan((body as { files: Record<string, string> }).files);

export const emptyServing = (): Serving => ({
  revisions: [],
  config: { revision: '91bd0e7c', files: [], values: [], total: 0, diagnostics: [], errors: 0, warnings: 0 },
  configs: [],
  providers: [],
  prompts: [],
  keys: [],
  explanation: undefined,
  verdict: {},
  plan: () => ({
    ok: true,
    revision: '91bd0e7c',
    diagnostics: [],
    errors: 0,
    warnings: 0,
    against: '91bd0e7c',
    values: [],
    restart_needed: [],
    diff: '',
  }),
  keyChange: { secret: null, yaml: '', written_to: null, rejected: null },
  providerTest: { ok: true, message: 'key valid, 61 models', hint: null, ms: 212 },
  render: () => ({ name: 'welcome@1', config: null, body: '{}', warnings: [] }),
  tried: { status: 200, id: null, cost_usd: null, body: '{}' },
  calls: [],
});
