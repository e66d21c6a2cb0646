import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { Operation } from '#core/provider.ts';
import { missingParameter, unsupportedParameter } from '#formats/shared/request/parameter-errors.ts';
import { Drops } from '#formats/shared/request/drops.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { objectOf, textOf } from '#formats/shared/json.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';
import { bodyObject } from '../../_google/operations.ts';
import { commonHeaders, resourceAddress, type VertexCall } from '../address.ts';
import { uriOf } from '../files/object-id.ts';
import { allowedObject } from '../files/storage.ts';
import { objectIn } from '../jobs/jobs.ts';
import { labelsOf } from '../jobs/labels.ts';
import { modelFor } from '../model.ts';
import type { VertexSettings } from '../settings.ts';
import { tuningFromJob } from './job.ts';

const supportedFields: ReadonlySet<string> = new Set([
  'model',
  'training_file',
  'validation_file',
  'suffix',
  'method',
  'hyperparameters',
  'metadata',
  'labels',
]);

/** Starts a supervised tuning job of a Gemini model. */
export const createTuning: Operation<VertexSettings> = {
  isConverted: true,
  begin(body, call) {
    const fields = bodyObject(body);
    checkMetadata(fields['metadata']);
    const drops = new Drops();
    for (const [key, value] of Object.entries(fields)) if (value !== null && !supportedFields.has(key)) drops.add(key);
    const { labels, dropped } = labelsOf({}, fields['labels'], fields['metadata']);
    const job = { ...jobOf(fields, call, drops), ...(Object.keys(labels).length === 0 ? {} : { labels }) };
    return {
      request: {
        ...resourceAddress(call, 'tuningJobs'),
        method: 'POST',
        headers: commonHeaders(call),
        body: JsonBody.of(job),
        dropped: [...drops.list, ...dropped],
      },
      tap: new OpaqueTap(),
      result: (text) => objectIn(text, tuningFromJob),
    };
  },
};

function jobOf(fields: JsonObject, call: VertexCall, drops: Drops): JsonObject {
  const training = fileIn(fields, call, 'training_file');
  if (training === undefined) throw missingParameter('training_file');
  const validation = fileIn(fields, call, 'validation_file');
  const suffix = textOf(fields['suffix']);
  const hyperParameters = hyperparametersOf(fields, drops);
  return {
    baseModel: baseModel(call),
    ...(suffix === undefined ? {} : { tunedModelDisplayName: suffix }),
    supervisedTuningSpec: {
      trainingDatasetUri: training,
      ...(validation === undefined ? {} : { validationDatasetUri: validation }),
      ...(Object.keys(hyperParameters).length === 0 ? {} : { hyperParameters }),
    },
  };
}

/** Returns the name of the base model. @throws GatewayError for models that cannot be tuned this way */
function baseModel(call: VertexCall): string {
  if (call.model === '') throw missingParameter('model');
  const model = modelFor(call.model, false);
  if (model.kind === 'gemini') return model.name;
  throw unsupportedParameter(
    'model',
    `The model "${call.model.slice(0, 100)}" cannot be tuned by this provider.`,
    'Use a model of the publisher google.',
  );
}

function fileIn(fields: JsonObject, call: VertexCall, param: string): string | undefined {
  const id = textOf(fields[param]);
  return id === undefined ? undefined : uriOf(allowedObject(call, id, param));
}

/** The service's own adapter sizes, which are not batch sizes. */
const adapterSizes: Readonly<Record<string, string>> = {
  '1': 'ADAPTER_SIZE_ONE',
  '2': 'ADAPTER_SIZE_TWO',
  '4': 'ADAPTER_SIZE_FOUR',
  '8': 'ADAPTER_SIZE_EIGHT',
  '16': 'ADAPTER_SIZE_SIXTEEN',
  '32': 'ADAPTER_SIZE_THIRTY_TWO',
};

/** `method.supervised.hyperparameters` takes precedence over the older field. `auto` is the service's default. */
function hyperparametersOf(fields: JsonObject, drops: Drops): JsonObject {
  const method = objectOf(fields['method']);
  const type = textOf(method['type']) ?? 'supervised';
  if (type !== 'supervised') {
    throw unsupportedParameter(
      'method.type',
      `The method "${type.slice(0, 40)}" is not supported by this provider.`,
      'Use the method "supervised".',
    );
  }
  const supervised = objectOf(method['supervised']);
  const newer = isJsonObject(supervised['hyperparameters']) ? supervised['hyperparameters'] : undefined;
  const older = objectOf(fields['hyperparameters']);
  const at = newer === undefined ? 'hyperparameters' : 'method.supervised.hyperparameters';
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(newer === undefined ? {} : older))
    if (value !== null && value !== 'auto' && value !== newer?.[key])
      drops.add(`hyperparameters.${key}`, 'method.supervised.hyperparameters is used');
  for (const [key, value] of Object.entries(newer ?? older)) {
    if (value === null || value === 'auto') continue;
    if (key === 'n_epochs') out['epochCount'] = String(numberIn(value, `${at}.${key}`));
    else if (key === 'learning_rate_multiplier') out['learningRateMultiplier'] = numberIn(value, `${at}.${key}`);
    else if (key === 'adapter_size') out['adapterSize'] = adapterSizes[String(value)] ?? value;
    else drops.add(`${at}.${key}`);
  }
  return out;
}

function numberIn(value: unknown, param: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new GatewayError('invalid_type', { message: `Invalid type for '${param}': expected a number or "auto".`, param });
}
