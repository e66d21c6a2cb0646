import { emptyBody, JsonBody } from '#core/json/body.ts';
import { type Endpoint, endpoints, traitsOf } from '#core/endpoint.ts';
import type { CommonSettings } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { begin, callOf } from '../../../test/contract/call.ts';
import azure from './index.ts';

const settings: CommonSettings & Readonly<Record<string, unknown>> = {
  resource_name: 'r1',
  deployments: {
    chat: { deployment_id: 'd-chat', api_version: '2024-10-21' },
    image: { target_uri: 'https://r2.openai.azure.com/openai/deployments/d-image/images/generations?api-version=2025-04-01-preview' },
    main: { deployment_id: 'd-main', api_version: '2024-12-01-preview', default: true },
  },
};

/** [model of the request, deployment, origin, version]. */
const rows = [
  ['chat', 'd-chat', 'https://r1.openai.azure.com', '2024-10-21'],
  ['image', 'd-image', 'https://r2.openai.azure.com', '2025-04-01-preview'],
  ['anything', 'd-main', 'https://r1.openai.azure.com', '2024-12-01-preview'],
  ['', 'd-main', 'https://r1.openai.azure.com', '2024-12-01-preview'],
] as const;

const served = (Object.keys(azure.operations) as Endpoint[]).filter((endpoint) => endpoint in endpoints);

describe.each(served)('%s', (endpoint) => {
  it.each(rows)('takes "%s" to %s', (model, id, origin, version) => {
    const chosen = azure.entry.deployment?.(settings, model);
    if (chosen === undefined || chosen instanceof Error) throw chosen ?? new Error('none');
    expect(chosen.model).toBe(id);
    const [route] = traitsOf(endpoint).routes;
    const call = callOf({
      endpoint,
      method: route?.[0] ?? 'GET',
      settings,
      model: chosen.model,
      deployment: chosen.settings,
      params: { id: 'x-1' },
    });
    // A batch names its deployment in the lines of its file.
    const isJson = traitsOf(endpoint).body === 'json' && endpoint !== 'batches';
    const body = isJson ? JsonBody.of({ model: `@team/${model}`, input_file_id: 'file-1', endpoint: '/v1/chat/completions' }) : emptyBody;
    const { request } = begin(azure, call, body);
    expect(request.origin).toBe(origin);
    expect(request.path).toMatch(new RegExp(`^/openai/(?:deployments/${id}/)?[^?]+\\?api-version=${version}$`));
    expect(request.body.kind === 'json' ? request.body.peek('model') : id).toBe(id);
  });
});
