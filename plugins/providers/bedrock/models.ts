import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { Call, Operation } from '#core/provider.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';
import { modelListRequest } from './address.ts';
import type { BedrockSettings } from './settings.ts';

/** The models of the region, in the form of OpenAI's list. */
export const modelList: Operation<BedrockSettings> = {
  isConverted: true,
  begin: (_body, call) => ({
    request: modelListRequest(call),
    tap: new JsonTap(),
    result: (text) => fromSummaries(text, call),
  }),
};

/** Converts the model list. @throws GatewayError `upstream_invalid` */
function fromSummaries(text: string, { createdAt }: Pick<Call, 'createdAt'>): JsonObject {
  const summaries = parseObject(text)?.['modelSummaries'];
  if (!Array.isArray(summaries))
    throw new GatewayError('upstream_invalid', { message: 'The response of the provider contains no models.', source: 'provider' });
  return { object: 'list', data: summaries.filter(isJsonObject).map((one) => row(one, createdAt)) };
}

const row = ({ modelId, modelName, providerName, inputModalities, outputModalities }: JsonObject, created: number): JsonObject => ({
  id: textOf(modelId) ?? '',
  object: 'model',
  created,
  owned_by: textOf(providerName) ?? '',
  name: textOf(modelName) ?? '',
  input_modalities: inputModalities,
  output_modalities: outputModalities,
});
