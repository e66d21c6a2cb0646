import { emptyBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Call, Operation } from '#core/provider.ts';
import { objectsIn, parseObject, textOf } from '#formats/shared/json.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';
import { baseFor } from './address.ts';
import type { GeminiSettings } from './settings.ts';

/** Converts the service's list of models to OpenAI's. One page contains all of them. */
export const listModels: Operation<GeminiSettings> = {
  isConverted: true,
  begin(_body, call) {
    const { origin, path } = baseFor(call.settings);
    const address = { origin, path: `${path}/models?pageSize=1000` };
    return {
      request: { ...address, method: 'GET', headers: ['accept', 'application/json'], body: emptyBody, dropped: [] },
      tap: new JsonTap(),
      result: (text) => fromModels(text, call),
    };
  },
};

function fromModels(text: string, call: Call<GeminiSettings>): JsonObject {
  const list = parseObject(text);
  // JSON of protobuf leaves out empty lists.
  const isEmpty = list !== undefined && Object.keys(list).length === 0;
  const models = isEmpty ? [] : list?.['models'];
  if (!Array.isArray(models)) {
    throw new GatewayError('upstream_invalid', { message: 'The response of the provider is not a list of models.', source: 'provider' });
  }
  const names = objectsIn(models).flatMap(({ name }) => textOf(name) ?? []);
  const data = names.map((name) => ({ id: name.replace(/^models\//, ''), object: 'model', created: call.createdAt, owned_by: 'google' }));
  return { object: 'list', data };
}
