import { RealtimeTap } from '#formats/openai-objects/realtime-tap.ts';
import { traitsOf } from '#core/endpoint.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { defineProvider } from '#core/provider.ts';
import { azureFault } from '../_azure/fault.ts';
import { relayedRoute } from '../_shared/address.ts';
import { batchLine } from '#formats/openai-objects/batch-lines.ts';
import { openaiCompatible } from '../_shared/openai-compatible.ts';
import { check } from './check.ts';
import { callerHeaders } from '#formats/shared/request/caller-headers.ts';
import { datedBody } from './dated-body.ts';
import { entries } from './entries.ts';
import { importUri } from './import-uri.ts';
import { toOpenAiObject } from './objects.ts';
import { address, isDeploymentInPath, isDated, realtimeAddress } from './routes.ts';
import { type AzureSettings, requestSettings, schema } from './settings.ts';

const forwardedHeaders = ['openai-beta', 'idempotency-key', 'x-client-request-id', 'x-ms-client-request-id'] as const;

/** Azure OpenAI: the OpenAI format with resources, deployments and dated versions. */
export default defineProvider<AzureSettings>({
  type: 'azure-openai',
  aliases: ['cloud-provider-b'],
  entry: {
    prices: { list: 'azure', soundApart: true },
    telemetryName: 'azure.ai.openai',
    settings: schema,
    requestSettings,
    accountHeaders: ['x-ms-oai-image-generation-deployment'],
    forwardedHeaders,
    ...entries.provider,
    check,
    // The only header that all versions accept.
    credential: (settings, key) => entries.credential(settings, key, (secret) => ({ scheme: 'header', name: 'api-key', secret })),
    importUri,
  },
  operations: openaiCompatible<AzureSettings>({
    address: (call, route) => address(entries.target(call), call, route),
    headers: (call): HeaderPairs => callerHeaders(call, forwardedHeaders),
    extensions: () => 'drop',
    // The asynchronous content filter reports in chunks of its own.
    quirks: [{ omitsDeltas: true }],
    bodyModel(call, route, named) {
      if (traitsOf(call.endpoint).baseModel === true) return call.model;
      const target = entries.target(call);
      if (!isDeploymentInPath(target, call, route)) return target.id ?? call.model;
      // The path decides. The name in the body is kept, unless it is one of the gateway's.
      return target.isListed || (typeof named === 'string' && named.startsWith('@')) ? modelUnlessAbsent(named, target.id) : undefined;
    },
    convertBody: (body, call) =>
      traitsOf(call.endpoint).state === 'creates' && isDated(entries.target(call), call) ? datedBody(body, call.endpoint) : body,
    batchLineEdit(call) {
      const aliases = entries.aliases(call.settings);
      return batchLine({ isDated: isDated(entries.target(call), call), deployment: (alias) => aliases.get(alias)?.model });
    },
    hasAliases: ({ settings }) => entries.aliases(settings).size > 0,
    convertObject: toOpenAiObject,
    unsupportedEndpoints: ['moderations', 'images/variations'],
  }),
  relay(call, path) {
    const target = entries.target(call);
    const route = relayedRoute(path);
    return route === 'realtime' ? realtimeAddress(target, call) : address(target, call, route);
  },
  socketTap: () => new RealtimeTap(),
  fault: azureFault,
});

/** A body without a model needs none if the path has it. */
const modelUnlessAbsent = (named: unknown, id: string | undefined): string | undefined => (named === undefined ? undefined : id);
