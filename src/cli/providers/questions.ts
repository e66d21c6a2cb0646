import { isJsonObject } from '../../core/json/merge.ts';
import type { Provider } from '../../core/provider.ts';
import { withoutFullStop } from '../../core/text/wording.ts';
import type { CliIo } from '../io.ts';
import { type Draft, isSecret, problemsOf, setAtPath, schemaAt } from './draft.ts';

type Ask = NonNullable<CliIo['ask']>;

/** Most settings that `askSettings` asks for. */
const maxSettings = 10;

/** Prompts for one line. The default in brackets is used if the line is empty. */
export async function askFor(ask: Ask, what: string, offered = ''): Promise<string> {
  const answer = (await ask(offered === '' ? `${what}: ` : `${what} [${offered}]: `)).trim();
  return answer === '' ? offered : answer;
}

/** Prompts for each setting that the type reports as missing, then for deployments if the type has them. */
export async function askSettings(ask: Ask, provider: Provider, draft: Draft): Promise<void> {
  const askedKeys = new Set<string>();
  for (let i = 0; i < maxSettings; i += 1) {
    const missing = problemsOf(provider, draft).find(
      ({ code, severity, path }) =>
        code === 'missing-key' && severity !== 'warning' && path.length === 1 && !askedKeys.has(String(path[0])),
    );
    if (missing === undefined) break;
    const key = String(missing.path[0]);
    askedKeys.add(key);
    const answer = await askFor(ask, `${key} (${missing.hint ?? missing.message})`);
    if (answer !== '') draft[key] = answer;
  }
  if (isJsonObject(schemaAt(provider.entry.settings, ['deployments', '_']))) await askDeployments(ask, provider, draft);
}

async function askDeployments(ask: Ask, provider: Provider, draft: Draft): Promise<void> {
  const row = schemaAt(provider.entry.settings, ['deployments', '_'])?.['properties'];
  const keys = isJsonObject(row) ? Object.keys(row) : [];
  for (;;) {
    const alias = await askFor(ask, 'alias of a deployment, as clients write it (empty: no more)');
    if (alias === '') return;
    setAtPath(draft, ['deployments', alias], {});
    for (const key of keys) {
      const schema = schemaAt(provider.entry.settings, ['deployments', alias, key]);
      if (schema?.['type'] !== 'string' || key === 'target_uri' || isSecret(provider, ['deployments', alias, key])) continue;
      const answer = await askFor(ask, `  ${key} (${withoutFullStop(String(schema['description']))})`);
      if (answer !== '') setAtPath(draft, ['deployments', alias, key], answer);
    }
  }
}
