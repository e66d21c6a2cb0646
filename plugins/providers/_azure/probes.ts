import type { Deployment, Probe } from '#core/provider.ts';

/** Hints by status, with the roles and causes of Azure OpenAI. */
const fixes = {
  401: 'check that the key belongs to this resource; for tokens grant the role "Cognitive Services OpenAI User"',
  403: 'grant the role "Cognitive Services OpenAI User", or allow this network in the firewall of the resource',
  404: 'check resource name, custom host and API version',
} as const;

const deploymentFixes = { ...fixes, 404: 'check deployment_id and api_version; a new deployment needs up to five minutes' } as const;

/** Model families that reject `max_tokens`. */
const reasoningModels = /^(?:o\d|gpt-5)/i;
/** Models without chat. A probe of them would cost more than a token. */
const nonChatModels = /whisper|tts|transcribe|audio|realtime|dall-e|image|flux|sora|video|moderation|rerank/i;

/**
 * Probes the model list, once per distinct address and key of the deployments. `deep` also requests one token from each
 * deployment.
 *
 * @param aliases deployments by alias
 * @param addressOf identifies the address of a deployment
 */
export function azureProbes(
  aliases: ReadonlyMap<string, Deployment>,
  addressOf: (deployment: Deployment) => string,
  deep: boolean,
): readonly Probe[] {
  const firstAliases = new Map<string, string>();
  for (const [alias, deployment] of aliases) {
    const key = JSON.stringify([addressOf(deployment), deployment.apiKey ?? null]);
    if (!firstAliases.has(key)) firstAliases.set(key, alias);
  }
  const names = firstAliases.size === 0 ? [''] : [...firstAliases.values()];
  const lists = names.map((model): Probe => ({ endpoint: 'models', method: 'GET', model, proves: 'credential', fixes }));
  return deep ? [...lists, ...[...aliases].flatMap(([alias, deployment]) => deploymentProbes(alias, deployment))] : lists;
}

function deploymentProbes(model: string, { foundationModel = '' }: Deployment): readonly Probe[] {
  const common = { method: 'POST', model, proves: 'deployment', fixes: deploymentFixes } as const;
  if (/embed/i.test(foundationModel)) return [{ ...common, endpoint: 'embeddings', body: { input: ['ping'] } }];
  if (nonChatModels.test(foundationModel)) return [];
  const limit = reasoningModels.test(foundationModel) ? { max_completion_tokens: 16 } : { max_tokens: 1 };
  return [{ ...common, endpoint: 'chat/completions', body: { messages: [{ role: 'user', content: 'ping' }], ...limit } }];
}
