import { formatPath } from '../../../config/read/node.ts';
import { choosePrompt, promptName, promptPatch, type PromptVersion, type StoredPrompt, variablesFor } from '../../../core/model/prompt.ts';
import type { PromptPage, PromptRender, PromptTry, PromptView } from '../../api-types.ts';
import { pageOf } from '../../views/page.ts';
import { notFound } from '../not-found.ts';
import { pageIn, pageParameters } from '../page.ts';
import { type AdminCall, type AdminRoute, keyIn } from '../route.ts';

/** Maximum total size of the rendered texts, in characters. */
const maxTextLength = 1024 * 1024;

/** Milliseconds to wait for the file and line of the prompt. */
const locateWaitMs = 2000;

export const promptRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/prompts',
    role: 'viewer',
    about: 'The stored prompts, one page at a time, with the number of their versions.',
    query: pageParameters('prompts', 'words that the id of a prompt must contain'),
    returns: '`PromptPage`',
    handle: ({ subject, query }) => {
      const { entries, page } = pageOf([...subject.snapshot().prompts.values()], pageIn(query), ({ id }) => id);
      const prompts = entries.map(({ id, versions }) => ({ id, version_count: versions.size }));
      return { json: { prompts, ...page } satisfies PromptPage };
    },
  },
  {
    method: 'GET',
    path: '/api/prompts/{id}',
    role: 'viewer',
    about: 'A stored prompt with its versions and variables.',
    returns: '`PromptView`',
    handle: async (call) => ({ json: await promptOf(call) }),
  },
  {
    method: 'POST',
    path: '/api/prompts/{id}/render',
    role: 'operator',
    about: 'Returns what a call of the prompt would send, without sending it. The id may contain a version: `welcome@2`.',
    body: { variables: 'object with the values of the variables' },
    returns: '`PromptRender`',
    handle: async (call) => ({ json: await renderPrompt(call) }),
  },
  {
    method: 'POST',
    path: '/api/prompts/{id}/try',
    role: 'operator',
    about: 'Runs the prompt through the gateway as a client would, and returns the whole response. The provider may charge for it.',
    body: { variables: 'object with the values of the variables', key: 'an API key of the gateway, if it requires one; it is not stored' },
    returns: '`PromptTry`',
    limitMs: 120_000,
    handle: async (call) => {
      const body = await call.body();
      const key = keyIn(body, 'key');
      const path = `/v1/prompts/${encodeURIComponent(call.params['id'] ?? '')}/completions`;
      const sent = { variables: body['variables'] ?? {}, stream: false };
      const response = await call.subject.request({ path, body: sent, key, signal: call.signal });
      const result: PromptTry = { ...response, body: call.subject.mask().text(response.body) };
      return { json: result };
    },
  },
];

async function promptOf({ subject, params }: AdminCall): Promise<PromptView> {
  const id = params['id'] ?? '';
  const locations = await subject.locations(locateWaitMs);
  const { prompts } = subject.snapshot();
  const prompt = prompts.get(id);
  if (prompt === undefined) throw notFound('prompt', id, [...prompts.keys()]);
  const mask = subject.mask();
  return viewOf(prompt, { locations, written: subject.loaded().tree.prompts ?? {}, hide: mask.text });
}

async function renderPrompt(call: AdminCall): Promise<PromptRender> {
  const { version } = choosePrompt(call.subject.snapshot().prompts, call.params['id'] ?? '');
  const { variables } = await call.body();
  const warnings: string[] = [];
  const given = variablesFor(version, variables, (text) => warnings.push(text));
  const body = Object.fromEntries(promptPatch(version, version.messages(given, maxTextLength), { stream: false, has: () => false }));
  const text = call.subject.mask().text(JSON.stringify(body));
  return { name: promptName(version), config: version.config ?? null, body: text, warnings };
}

interface PromptSource {
  readonly locations: Readonly<Record<string, PromptView['at'] & object>>;
  readonly written: Readonly<Record<string, unknown>>;
  /** Masks secrets that the configuration inserted into a text. */
  readonly hide: (text: string) => string;
}

function viewOf({ id, published, versions, labels }: StoredPrompt, { locations, written, hide }: PromptSource): PromptView {
  const labelsOf = (version: PromptVersion): string[] => [...labels].flatMap(([label, one]) => (one === version ? [label] : []));
  const description = (written[id] as { readonly description?: unknown } | undefined)?.description;
  return {
    id,
    description: typeof description === 'string' ? hide(description) : null,
    at: locations[formatPath(['prompts', id])] ?? null,
    versions: [...versions.values()].map((version) => ({
      number: version.number,
      labels: labelsOf(version),
      published: version === published,
      variables: variablesOf(version, hide),
    })),
    variables: variablesOf(published, hide),
    model: published.model ?? null,
    config: published.config ?? null,
  };
}

/** Declared variables, followed by those that templates read without a declaration. */
function variablesOf({ variables, reads }: PromptVersion, hide: PromptSource['hide']): PromptView['variables'] {
  const textOf = (value: unknown): string => hide(typeof value === 'string' ? value : JSON.stringify(value));
  const declared = [...variables].map(([name, { required, default: standard }]) => ({
    name,
    required,
    default: standard === undefined ? null : textOf(standard),
  }));
  const others = [...reads].filter((name) => !variables.has(name)).map((name) => ({ name, required: false, default: null }));
  return [...declared, ...others];
}
