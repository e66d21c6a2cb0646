import { field, file, formOf, formType, headersOf, jsonType, jsonWith, type Part, type Route } from './routes.ts';
import type { Request } from './rig.ts';

/** The model that nobody may use, and one that everybody may. */
export const big = 'forbidden-7b';
export const small = 'small-1';

/** Ways to name a model, as data: each makes a request to a route that has a place for it, undefined where it has none. */
export type Way = readonly [name: string, make: (route: Route) => Request | undefined];

const bodied = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'HEAD', 'OPTIONS']);

/** @param members JSON text of the members of the body */
const json =
  (members: string | ((route: Route) => string), headers: Record<string, string> = {}) =>
  (route: Route): Request | undefined => {
    if (route.body === 'none' || route.endpoint === 'realtime' || !bodied.has(route.method)) return undefined;
    const text = typeof members === 'string' ? members : members(route);
    return {
      method: route.method,
      path: route.path,
      headers: { ...headersOf(route), ...jsonType, ...headers },
      body: text.startsWith('RAW') ? text.slice(3) : jsonWith(route, text),
    };
  };

const allowed = `"model":"${small}"`;

const jsonWays: readonly Way[] = (
  [
    ['model', `"model":"${big}"`],
    ['a slug and the model', `"model":"@TO/${big}"`],
    ['two slugs and the model', `"model":"@TO/@TO/${big}"`],
    ['a list', `"model":["${big}"]`],
    ['a list behind an allowed one', `"model":["${small}","${big}"]`],
    ['an object', `"model":{"id":"${big}"}`],
    ['an escaped letter', `"model":"${big.replace('f', '\\u0066')}"`],
    ['an escaped key', `"mod\\u0065l":"${big}"`],
    ['a second model', `${allowed},"model":"${big}"`],
    ['a second model, first', `"model":"${big}",${allowed}`],
    ['a second model by escapes', `${allowed},"\\u006dodel":"${big}"`],
    ['Model', `${allowed},"Model":"${big}"`],
    ['MODEL, first', `"MODEL":"${big}",${allowed}`],
    ['Model alone', `"Model":"${big}"`],
    ['a key with a blank', `${allowed},"model ":"${big}"`],
    ['a key with a NUL', `${allowed},"model\\u0000":"${big}"`],
    ['a key in wide letters', `${allowed},"ｍｏｄｅｌ":"${big}"`],
    ['a key in escaped wide letters', `${allowed},"\\uff4dodel":"${big}"`],
    ['a key with brackets', `${allowed},"model[]":"${big}"`],
    ['a zero-width key', `${allowed},"mo\\u200bdel":"${big}"`],
    ['model_id', `${allowed},"model_id":"${big}"`],
    ['modelName', `${allowed},"modelName":"${big}"`],
    ['engine', `${allowed},"engine":"${big}"`],
    ['deployment_id', `${allowed},"deployment_id":"${big}"`],
    ['azureDeployment', `${allowed},"azureDeployment":"${big}"`],
    ['models', `${allowed},"models":["${small}","${big}"]`],
    ['models with objects', `${allowed},"models":[{"id":"${big}"}]`],
    ['fallbacks', `${allowed},"fallbacks":["${big}"]`],
    ['fallbacks by model', `${allowed},"fallbacks":[{"${small}":["${big}"]}]`],
    ['fallback_models', `${allowed},"fallback_models":["${big}"]`],
    ['preset', `${allowed},"preset":"${big}"`],
    ['route', `${allowed},"route":"fallback","note":"${big}"`],
    ["a tool's model", `${allowed},"tools":[{"type":"image_generation","model":"${big}"}]`],
    ["a second tool's model", `${allowed},"tools":[{"type":"x","model":"${small}"},{"type":"x","model":"${big}"}]`],
    ["a tool's model twice", `${allowed},"tools":[{"type":"x","model":"${big}","model":"${small}"}]`],
    ['the parameters of a service tool', `${allowed},"tools":[{"type":"s:advisor","parameters":{"model":"${big}"}}]`],
    ['the parameters of a service tool, first', `${allowed},"tools":[{"parameters":{"model":"${big}"},"type":"s:advisor"}]`],
    ['a panel of models', `${allowed},"tools":[{"type":"s:fusion","parameters":{"model":"${small}","analysis_models":["${big}"]}}]`],
    ['a tool in an item of input', `RAW{${allowed},"input":[{"type":"additional_tools","tools":[{"type":"x","model":"${big}"}]}]}`],
    ['extra_body', `${allowed},"extra_body":{"model":"${big}"}`],
    ['extra_body in a list', `${allowed},"extra_body":[{"models":["${big}"]}]`],
    ['provider', `${allowed},"provider":{"models":["${big}"]}`],
    ['override_params', `${allowed},"override_params":{"model":"${big}"}`],
    ['plugins', `${allowed},"plugins":[{"id":"web","model":"${big}"}]`],
    ['an object of input', `${allowed},"input":{"model":"${big}"}`],
    ['an object of prompt', `${allowed},"prompt":{"id":"p","model":"${big}"}`],
    ['a session', `${allowed},"session":{"audio":{"input":{"transcription":{"model":"${big}"}}}}`],
    ["a grader's model", `${allowed},"method":{"reinforcement":{"grader":{"type":"score_model","model":"${big}"}}}`],
    ['requests', `${allowed},"requests":[{"custom_id":"a","body":{"model":"${big}"},"params":{"model":"${big}"}}]`],
    ['a comment', `RAW{"messages":[/*"*/],"model":"${big}",/*"*/],"model":"${small}"}`],
    ['single quotes', `RAW{'model':'${big}',"model":"${small}"}`],
    ['a byte order mark', `RAW\ufeff{"model":"${big}"}`],
    ['a second object', `RAW{"model":"${small}"}{"model":"${big}"}`],
  ] as readonly (readonly [string, string])[]
).map(([name, members]) => [`JSON: ${name}`, json(members)] as const);

const config = (value: object): Record<string, string> => ({ 'x-gateway-config': JSON.stringify(value) });

/** Configs that a request sends, where the key may. */
const configWays: readonly Way[] = (
  [
    ['override of the model', allowed, { provider: '@TO', override_params: { model: big } }],
    ['an empty override of the model', `"model":"${big}"`, { provider: '@TO', override_params: { model: '' } }],
    ['a blank override of the model', `"model":"${big}"`, { provider: '@TO', override_params: { model: '@TO/' } }],
    ['a list as override', `"model":"${big}"`, { provider: '@TO', override_params: { model: [small] } }],
    ['an override of Model', allowed, { provider: '@TO', override_params: { Model: big } }],
    ['an override of models', allowed, { provider: '@TO', override_params: { models: [big] } }],
    ['an override of extra_body', allowed, { provider: '@TO', override_params: { extra_body: { model: big } } }],
    ['a target below', allowed, { strategy: { mode: 'fallback' }, targets: [{ provider: '@TO', override_params: { model: big } }] }],
    ['an open target', `"model":"${big}"`, { targets: [{ override_params: { model: '' } }] }],
  ] as const
).map(([name, members, value]) => [`config: ${name}`, (route: Route) => json(members, config(value))(route)]);

const queryWays: readonly Way[] = [
  `model=${big}`,
  `mod%65l=${big}`,
  `Model=${big}`,
  `model=${small}&model=${big}`,
  `model=${big}&model=${small}`,
  `model=${small}&MODEL=${big}`,
  `model%5B%5D=${big}`,
  `model=${small};model=${big}`,
  `a=1;model=${big}`,
  `+model=${big}`,
  `model%00=${big}`,
  `model=@TO/${big}`,
  `model=%40TO%2F${big}`,
  `deployment=${big}`,
  `deployment-id=${big}`,
  `engine=${big}`,
].map((query) => [
  `query: ?${query}`,
  (route: Route) => ({
    method: route.method,
    path: `${route.path}?${query}`,
    headers: { ...headersOf(route), ...(route.body === 'json' ? jsonType : route.body === 'form' ? formType : {}) },
    body:
      route.body === 'json'
        ? jsonWith(route, allowed)
        : route.body === 'form'
          ? formOf([field('model', small), field('prompt', 'x'), field('purpose', 'assistants'), file('file', 'x')])
          : undefined,
  }),
]);

const rest: readonly Part[] = [field('prompt', 'x'), field('purpose', 'assistants'), file('file', 'x'.repeat(100))];
const form =
  (parts: readonly Part[]) =>
  ({ method, path, body }: Route): Request | undefined =>
    body === 'form' || (body === 'passing' && method === 'POST') ? { method, path, headers: formType, body: formOf(parts) } : undefined;

const formWays: readonly Way[] = (
  [
    ['model', [field('model', big), ...rest]],
    ['model behind the file', [...rest, field('model', big)]],
    ['a second model', [field('model', small), field('model', big), ...rest]],
    ['a second model behind the file', [field('model', small), ...rest, field('model', big)]],
    ['Model', [field('model', small), field('Model', big), ...rest]],
    ['Model behind the file', [field('model', small), ...rest, field('Model', big)]],
    ['model[]', [field('model', small), field('model[]', big), ...rest]],
    ['model with a blank', [field('model', small), field('model ', big), ...rest]],
    ['a file called model', [field('model', small), ...rest, file('model', big)]],
    ['models', [field('model', small), field('models', `["${big}"]`), ...rest]],
    ['fallbacks', [field('model', small), field('fallbacks', big), ...rest]],
    ['extra_body', [field('model', small), field('extra_body', `{"model":"${big}"}`), ...rest]],
    ['extra_body behind the file', [field('model', small), ...rest, field('extra_body', `{"model":"${big}"}`)]],
    ['deployment', [field('model', small), field('deployment', big), ...rest]],
    ['a slug', [field('model', `@TO/${big}`), ...rest]],
  ] as const
).map(([name, parts]) => [`form: ${name}`, form(parts)]);

const lines = (text: string, purpose = 'batch'): Way[1] =>
  function upload({ method, path, endpoint }) {
    if (endpoint !== 'files' || method !== 'POST') return undefined;
    return { method, path, headers: formType, body: formOf([field('purpose', purpose), file('file', text, 'rows.jsonl')]) };
  };
const lineWays: readonly Way[] = (
  [
    ['model', `{"body":{"model":"${big}"}}`],
    ['Model', `{"body":{"model":"${small}","Model":"${big}"}}`],
    ['models', `{"body":{"model":"${small}","models":["${big}"]}}`],
    ["a tool's model", `{"body":{"model":"${small}","tools":[{"type":"x","model":"${big}"}]}}`],
    ['a second body', `{"body":{"model":"${small}"},"body":{"model":"${big}"}}`],
    ['Body', `{"body":{"model":"${small}"},"Body":{"model":"${big}"}}`],
    ['the address of the line', `{"url":"/v1/engines/x?model=${big}","body":{"model":"${small}"}}`],
    ['a model beside the body', `{"model":"${big}","body":{"model":"${small}"}}`],
    ['no strict JSON', `{"x":NaN,"body":{"model":"${big}"}}`],
    ['a carriage return', `{"body":{"model":"${small}"}}\r{"body":{"model":"${big}"}}`],
  ] as const
).map(([name, text]) => [`line of a batch: ${name}`, lines(text)]);

const steeringWays: readonly Way[] = [
  ['x-gateway-provider-model', json('', { 'x-gateway-provider-model': big })],
  ['azureml-model-deployment', json(allowed, { 'azureml-model-deployment': big })],
  ['x-model', json(allowed, { 'x-model': big })],
  ['x-http-method-override', json(`"model":"${big}"`, { 'x-http-method-override': 'POST' })],
  ['x-original-url', json(allowed, { 'x-original-url': `/v1/chat/completions?model=${big}` })],
  ['x-rewrite-url', json(allowed, { 'x-rewrite-url': `/v1/engines/${big}` })],
  ['x-forwarded-uri', json(allowed, { 'x-forwarded-uri': `/v1/engines/${big}` })],
  ['a header that is forwarded', json(allowed, { 'x-gateway-forward-headers': 'x-model', 'x-model': big })],
].map(([name, make]) => [`header: ${String(name)}`, make] as Way);

const pathWays: readonly Way[] = [
  ['GET', `/v1/models/${big}`],
  ['DELETE', `/v1/models/${big}`],
  ['DELETE', `/v1/Models/${big}`],
  ['GET', `/v1/engines/${big}`],
  ['POST', `/v1/engines/${big}/completions`],
  ['GET', `/openai/models/${big}`],
  ['GET', `/openai/v1/engines/${big}`],
  ['GET', `/openai/Deployments/${big}`],
  ['GET', `/v1/openai/deployments/${big}/x`],
  ['GET', `/v1/openai/deployments%2F${big}`],
  ['GET', `/v1/openai%252Fdeployments%252F${big}`],
].map(([method = '', path = '']) => [
  `path: ${method} ${path}`,
  (route: Route) => (route.name === 'GET /v1/something/else' ? { method, path, headers: {} } : undefined),
]);

/** Deployments that a path names, beside an allowed model in the body and without any. */
const deploymentWays: readonly Way[] = [
  big,
  `@TO/${big}`,
  `%40TO%2F${big}`,
  big.replace('f', '%66'),
  `@TO/@TO/${big}`,
  `${big}/`,
  `${small}/../${big}`,
].flatMap((name) =>
  [allowed, ''].map(
    (members): Way => [
      `deployment: ${name}${members === '' ? ', alone' : ''}`,
      (route) => {
        if (!route.runs || !route.path.startsWith('/v1/') || (route.body !== 'json' && route.body !== 'form')) return undefined;
        const generated =
          route.body === 'json' ? json(members)(route) : form(members === '' ? rest : [field('model', small), ...rest])(route);
        return generated === undefined ? undefined : { ...generated, path: route.path.replace('/v1/', `/openai/deployments/${name}/`) };
      },
    ],
  ),
);

const methodWays: readonly Way[] = [
  ['in chunks', { chunked: true }],
  ['as text', { headers: { 'content-type': 'text/plain' } }],
].map(([name, more]) => [
  `body ${String(name)}`,
  (route: Route) => {
    const request = json(`"model":"${big}"`)(route);
    return request === undefined ? undefined : ({ ...request, ...(more as object) } as Request);
  },
]);

export const waysOfModels: readonly Way[] = [
  ...jsonWays,
  ...configWays,
  ...queryWays,
  ...formWays,
  ...lineWays,
  ...steeringWays,
  ...pathWays,
  ...deploymentWays,
  ...methodWays,
];
