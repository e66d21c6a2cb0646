import { keyVariable } from '../../../../config/edit/new-entry.ts';
import { textOf } from '../../../../config/read/node.ts';
import type { Conversion } from '../conversion.ts';
import type { SourceSection } from '../section.ts';
import type { Service } from './services.ts';

/** The credential of a deployment as references. Without one, those that LiteLLM reads from the environment. */
export function secretsOf(
  params: SourceSection,
  service: Service,
  slug: string,
  { variables, notes }: Conversion,
  usualKey: string | undefined,
): Record<string, unknown> {
  const wanted = { api_key: 'api_key', ...service.secrets };
  const found: Record<string, unknown> = {};
  for (const [from, to] of Object.entries(wanted)) {
    const entry = params.take(from);
    if (entry === undefined) continue;
    const text = textOf(entry.value);
    if (text === undefined) notes.unmapped(params.pathOf(from), entry.keyAt, `write it as \${env:NAME} or \${file:/path} in ${to}`);
    else if (to === 'service_account' && /^[^{}\s]+\.json$/.test(text)) {
      found[to] = `\${file:${text}}`;
      if (!text.startsWith('/')) notes.different(params.pathOf(from), entry.keyAt, 'the path is relative to the file that contains it');
    } else if (to === 'service_account') {
      // No sample has the right form: without a value, the check disables the provider.
      found[to] = variables.secret(text, keyVariable(slug, to), '');
      notes.different(params.pathOf(from), entry.keyAt, 'the variable has to contain the JSON of the key file, not its path');
    } else found[to] = variables.secret(text, keyVariable(slug, to));
  }
  if (Object.keys(found).length > 0) return found;
  const at = params.entry('model')?.keyAt;
  if (at !== undefined && service.remark !== undefined) notes.different(params.path, at, service.remark);
  if (service.type === 'vertex-ai') return { ambient: true };
  const usual = service.secretVariables ?? (usualKey === undefined ? {} : { api_key: usualKey });
  return Object.fromEntries(Object.entries(usual).map(([to, variable]) => [to, variables.byDefault(variable)]));
}
