import { emptyBody, JsonBody } from '#core/json/body.ts';
import { type Endpoint, endpoints, traitsOf } from '#core/endpoint.ts';
import type { CommonSettings } from '#core/provider.ts';
import type { FormBody } from '#core/http/form.ts';
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
  it.each(rows)('sends model "%s" to deployment %s', (model, id, origin, version) => {
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

describe('an upload of batch lines', () => {
  const line = (model: string): string => JSON.stringify({ custom_id: 'a', url: '/chat/completions', body: { model } });
  const form = (firstLine: string): FormBody =>
    ({ kind: 'form', fields: new Map([['purpose', 'batch']]), file: { field: 'file', firstLine } }) as unknown as FormBody;
  const editOf = (extraSettings: typeof settings, firstLine: string) => {
    const call = callOf({
      endpoint: 'files',
      method: 'POST',
      settings: { ...extraSettings, resource_name: 'r1' } as typeof settings,
      form: form(firstLine),
    });
    const { body } = begin(azure, call, emptyBody).request;
    return body.kind === 'form' ? body.edit?.line : undefined;
  };

  it('has its aliases replaced in every line, also behind one that names the deployment itself', () => {
    const edit = editOf(settings, line('d-chat'));
    expect([edit?.(line('d-chat'), 0), edit?.(line('chat'), 1)]).toEqual([line('d-chat'), line('d-chat')]);
  });

  it('is sent unchanged where no deployment has an alias', () => {
    expect(editOf({ api_version: '2024-10-21' }, line('d-chat'))).toBeUndefined();
    expect(editOf({ api_version: '2024-10-21' }, line('@azure/d-chat'))?.(line('@azure/d-chat'), 0)).toBe(line('d-chat'));
  });
});
