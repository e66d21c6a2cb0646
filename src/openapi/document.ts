import { type Endpoint, type EndpointTraits, endpoints, type Route } from '../core/endpoint.ts';
import { type ErrorCode, errorCatalogue } from '../core/error.ts';
import { canonicalPrefix } from '../core/http/headers.ts';
import type { JsonSchema } from '../core/json/schema.ts';
import { responseContents, type ResponseContent } from './responses.ts';
import { schemas } from './objects.ts';
import { headerParameters, queryParameters } from './parameters.ts';
import { jsonAlternatives, requestSchemas } from './requests.ts';
import { name, ref } from './schema.ts';

/** Statuses of the gateway's own errors. Errors of providers are passed on and may have any status. */
const gatewayStatuses: readonly number[] = [...new Set(Object.values(errorCatalogue).map(({ status }) => status))].sort((a, b) => a - b);

/**
 * API description (OpenAPI 3.1) of all modelled routes, generated from the tables of the router and the error pages.
 *
 * @param version version of the gateway
 */
export function describeApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [endpoint, traits] of describedEndpoints()) {
    for (const route of traits.routes) {
      const path = `/v1/${route[1]}`;
      (paths[path] ??= {})[route[0].toLowerCase()] = operation(endpoint, traits, route);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'LLM gateway',
      version,
      description:
        'Routes that the gateway implements. Any other path below /v1/ is passed through to the provider that the request chooses.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ gatewayKey: [] }, { bearer: [] }, {}],
    paths,
    components: {
      schemas,
      parameters: Object.fromEntries(headerParameters.map((parameter) => [parameter.name, parameter])),
      responses: { Error: errorResponse('Error'), NativeError: errorResponse('NativeError') },
      securitySchemes: {
        gatewayKey: { type: 'apiKey', in: 'header', name: `${canonicalPrefix}api-key` },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

type DescribedEndpoint = Exclude<Endpoint, 'relay' | 'realtime'>;

const describedEndpoints = (): readonly (readonly [DescribedEndpoint, EndpointTraits])[] =>
  (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, traits]) =>
    endpoint === 'relay' || endpoint === 'realtime' ? [] : [[endpoint, traits] as const],
  );

function operation(endpoint: DescribedEndpoint, traits: EndpointTraits, [method, path]: Route): JsonSchema {
  const id = path.includes('{id}') ? [{ name: 'id', in: 'path', required: true, schema: name }] : [];
  const headers = headerParameters.map((parameter) => ({ $ref: `#/components/parameters/${parameter.name}` }));
  const schema = requestSchemas[endpoint];
  return {
    operationId: `${method.toLowerCase()}_${path.replaceAll(/[^a-z0-9]+/g, '_').replace(/_$/, '')}`,
    summary: traits.about,
    tags: [path.split('/')[0]],
    parameters: [...id, ...(queryParameters[endpoint] ?? []), ...headers],
    ...(schema === undefined ? {} : { requestBody: { required: true, content: requestContent(endpoint, traits, schema) } }),
    responses: { '200': success(responseContents[endpoint]), ...errors(traits) },
  };
}

function requestContent(endpoint: DescribedEndpoint, traits: EndpointTraits, schema: JsonSchema): JsonSchema {
  if (traits.body !== 'form') return { 'application/json': { schema } };
  const json = jsonAlternatives[endpoint];
  return { 'multipart/form-data': { schema }, ...(json === undefined ? {} : { 'application/json': { schema: json } }) };
}

function success(content: ResponseContent): JsonSchema {
  const media = Object.entries(content).map(([type, schema]) => [type, schema === undefined ? {} : { schema }]);
  return { description: 'The response', headers: idHeader, content: Object.fromEntries(media) };
}

const idHeader = { 'x-request-id': { description: "The gateway's id of this request", schema: name } } as const;

function errors({ dialect }: EndpointTraits): JsonSchema {
  const response = { $ref: `#/components/responses/${dialect === 'messages' ? 'NativeError' : 'Error'}` };
  const statuses = [...gatewayStatuses.map(String), '4XX', '5XX'];
  return Object.fromEntries(statuses.map((status) => [status, response]));
}

function errorResponse(schema: string): JsonSchema {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).map((code) => `\`${code}\` (${errorCatalogue[code].status})`);
  return {
    description: `An error. Codes of the gateway: ${codes.join(', ')}; others are the provider's.`,
    headers: idHeader,
    content: { 'application/json': { schema: ref(schema) } },
  };
}
