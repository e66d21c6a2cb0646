import { GatewayError } from '#core/error.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import { geminiOperations, geminiOptions } from '../_google/operations.ts';
import { commonHeaders, endpointAddress, modelAddress, type VertexCall } from './address.ts';
import { fileRules, outputRules } from './files/storage.ts';
import { modelFor, type VertexModel } from './model.ts';
import type { VertexSettings } from './settings.ts';

/** Returns the conversion options of a provider. */
export const optionsOf = (settings: VertexSettings, files: FileRules | undefined) => geminiOptions('vertex', settings, files);

/** The model of a call: endpoints are tuned Gemini models if the provider is configured so. @throws GatewayError `model_not_found` */
export const modelOf = ({ model, settings }: VertexCall): VertexModel => modelFor(model, settings.endpoint_format === 'generateContent');

/** Gemini models, tuned or not. */
export const gemini = geminiOperations<VertexSettings>({
  surface: 'vertex',
  address(call, method) {
    const model = modelOf(call);
    if (model.kind === 'tuned') return endpointAddress(call, model.id, `:${method}`);
    return modelAddress(call, 'google', model.kind === 'gemini' ? model.name : '', method);
  },
  headers: commonHeaders,
  isGoogleModel: (call) => ['gemini', 'tuned'].includes(modelOf(call).kind),
  googleModel(call) {
    const model = modelOf(call);
    if (model.kind === 'gemini') return model.name;
    if (model.kind === 'tuned') return '';
    throw new GatewayError('unsupported_endpoint', {
      message: `The model "${call.model.slice(0, 100)}" does not serve this route.`,
      hint: 'Use a model of the publisher google here.',
    });
  },
  chatModel: ({ foundationModel, model }) => foundationModel ?? model.replace(/^google\./i, ''),
  files: fileRules,
  outputs: outputRules,
});
