import type { ImportedUri, MissingPart } from '#core/provider.ts';
import { type FoundryFormat, type FoundryUri, parseFoundryUri } from './foundry-uri.ts';

const kinds: Readonly<Record<FoundryFormat, string>> = {
  inference: 'foundry inference',
  openai: 'foundry, OpenAI format',
  messages: 'foundry, Anthropic',
};

/** Converts a target URI of Foundry to a provider. These addresses never contain a deployment. */
export function importUri(uri: string): ImportedUri | string | undefined {
  const parsed = parseFoundryUri(uri);
  if (typeof parsed === 'string') return /\.azure\.(?:com|us|cn)\b/i.test(uri) ? parsed : undefined;
  if (parsed.host === 'other' || !isFoundry(parsed)) return undefined;
  const entry = { ...addressOf(parsed), ...(parsed.apiVersion === undefined ? {} : { api_version: parsed.apiVersion }) };
  return { slug: parsed.resource ?? 'foundry', kind: kindOf(parsed), entry, missing: missingIn(parsed) };
}

/** Other Azure hosts without one of these paths belong to the type azure-openai. */
const isFoundry = ({ host, origin, format }: FoundryUri): boolean =>
  host !== 'resource' || format !== undefined || origin.includes('.services.ai.');

function addressOf({ host, origin, path, resource, format }: FoundryUri): Readonly<Record<string, string>> {
  if (host !== 'resource') return { foundry_url: `${origin}${path}` };
  const isStandard = origin === `https://${resource}.services.ai.azure.com` && path === '';
  const address = {
    ...(resource === undefined ? {} : { resource_name: resource }),
    ...(isStandard ? {} : { foundry_url: `${origin}${path}` }),
  };
  return format === undefined ? address : { ...address, format };
}

function kindOf({ host, format }: FoundryUri): string {
  if (host === 'serverless') return 'serverless model';
  if (host === 'compute') return 'managed compute';
  return format === undefined ? 'foundry resource' : kinds[format];
}

function missingIn({ host, format }: FoundryUri): readonly MissingPart[] {
  const found: MissingPart[] = [];
  if (host === 'compute') found.push({ path: ['endpoint_name'], about: 'the deployment, if the endpoint has several', isNeeded: false });
  if (host === 'serverless' || host === 'compute')
    return [...found, { path: ['model_name'], about: 'the model behind it, for cost and metrics', isNeeded: false }];
  if (format === undefined) found.push({ path: ['format'], about: 'inference, openai or messages; default: inference', isNeeded: false });
  const about = 'the address names no deployment: add one with an alias, or let clients send its name as model';
  return [...found, { path: ['deployments'], about, isNeeded: false }];
}
