import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Dropped, Operation, Translation, UpstreamRequest } from '#core/provider.ts';
import { missingParameter } from '#formats/shared/request/parameter-errors.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { textOf } from '#formats/shared/json.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';
import { bodyObject } from '../../_google/operations.ts';
import { commonHeaders, plainRequest, resourceAddress, type VertexCall } from '../address.ts';
import { notesOf, parseRow } from '../files/file-object.ts';
import { type StoredObject, uriOf } from '../files/object-id.ts';
import { allowedObject, objectAddress, outputBucket, storageHeaders } from '../files/storage.ts';
import { objectIn } from '../jobs/jobs.ts';
import { endpointLabel, labelsOf } from '../jobs/labels.ts';
import type { VertexSettings } from '../settings.ts';
import { type BatchEndpoint, batchEndpoints, endpointOf, outputPrefix, endpointToken } from './kind.ts';
import { batchFromJob } from './job.ts';
import { batchModel } from './rows.ts';

const supportedFields: ReadonlySet<string> = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata', 'model', 'labels']);

/** A parsed create request. */
interface CreateRequest {
  readonly input: StoredObject;
  readonly outputBucket: string;
  readonly endpoint: BatchEndpoint;
  /** Undefined if the model is in the notes of the uploaded file. */
  readonly model: string | undefined;
  readonly labels: unknown;
  readonly metadata: unknown;
  readonly dropped: readonly Dropped[];
}

/**
 * Starts a batch. The model is in the request's body or header, or else in the notes of the uploaded file, which need one more
 * request first.
 */
export const createBatch: Operation<VertexSettings> = {
  isConverted: true,
  findsModel: true,
  begin(body, call) {
    const parsed = createRequestOf(bodyObject(body), call);
    const translationOf = (request: UpstreamRequest): Translation => ({
      request,
      tap: new OpaqueTap(),
      result: (text) => objectIn(text, batchFromJob),
    });
    if (parsed.model !== undefined) return translationOf(jobRequest(call, parsed, parsed.model));
    return {
      ...translationOf(plainRequest(objectAddress(call, parsed.input), 'GET', storageHeaders(call), parsed.dropped)),
      then({ text }) {
        const { model, endpoint } = notesOf(parseRow(text));
        if (model === undefined) throw noModel();
        if (endpoint !== undefined && endpoint !== parsed.endpoint) throw wrongEndpoint(parsed.endpoint, endpoint);
        // The first request has already reported the dropped fields.
        return translationOf({ ...jobRequest(call, { ...parsed, dropped: [] }, model), models: [model] });
      },
    };
  },
};

/** Parses a create request. @throws GatewayError for missing or invalid values */
function createRequestOf(body: JsonObject, call: VertexCall): CreateRequest {
  checkMetadata(body['metadata']);
  const file = textOf(body['input_file_id']);
  if (file === undefined) throw missingParameter('input_file_id');
  const requestedEndpoint = textOf(body['endpoint']);
  if (requestedEndpoint === undefined) throw missingParameter('endpoint');
  const endpoint = endpointOf(requestedEndpoint);
  if (endpoint === undefined) {
    throw new GatewayError('invalid_value', {
      message: `Invalid 'endpoint': "${requestedEndpoint.slice(0, 100)}" is not served in batches of this provider.`,
      param: 'endpoint',
      hint: `Use one of ${batchEndpoints.join(', ')}.`,
    });
  }
  const { model } = call;
  const input = allowedObject(call, file, 'input_file_id');
  return {
    input,
    outputBucket: outputBucket(call, input),
    endpoint,
    model: model === '' ? undefined : model,
    labels: body['labels'],
    metadata: body['metadata'],
    dropped: dropsOf(body),
  };
}

function dropsOf(body: JsonObject): readonly Dropped[] {
  const dropped: Dropped[] = Object.entries(body)
    .filter(([key, value]) => value !== null && !supportedFields.has(key))
    .map(([param]) => ({ param, reason: 'not supported by this service' }));
  const { completion_window: window } = body;
  if (window !== undefined && window !== null && window !== '24h')
    dropped.push({ param: 'completion_window', reason: 'the service has its own completion window' });
  return dropped;
}

function jobRequest(call: VertexCall, parsed: CreateRequest, model: string): UpstreamRequest {
  const { input, endpoint, outputBucket: bucket } = parsed;
  const { labels, dropped } = labelsOf({ [endpointLabel]: endpointToken(endpoint) }, parsed.labels, parsed.metadata);
  const { resource, instanceConfig } = resourceOf(model);
  return {
    ...resourceAddress(call, 'batchPredictionJobs'),
    method: 'POST',
    headers: commonHeaders(call),
    body: JsonBody.of({
      displayName: `gateway-${call.id}`,
      model: resource,
      inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: [uriOf(input)] } },
      outputConfig: {
        predictionsFormat: 'jsonl',
        gcsDestination: { outputUriPrefix: `gs://${bucket}/${outputPrefix({ endpoint, model }, call)}` },
      },
      ...(instanceConfig === undefined ? {} : { instanceConfig }),
      labels,
    }),
    dropped: [...parsed.dropped, ...dropped],
  };
}

/** The client's id is in each row, but must not be sent to the model. */
const requestIdExcluded = { instanceType: 'object', excludedFields: ['requestId'] };
const projectModel = /^projects\/[^/]+\/locations\/[^/]+\/models\/[^/]+$/;

/** Returns the resource that runs the rows, and how it reads them. @throws GatewayError `unsupported_parameter` */
function resourceOf(model: string): { readonly resource: string; readonly instanceConfig: JsonObject | undefined } {
  if (projectModel.test(model)) return { resource: model, instanceConfig: requestIdExcluded };
  const vertexModel = batchModel(model);
  const publisher = (name: string, publisherName: string): string => `publishers/${publisherName}/models/${name}`;
  if (vertexModel.kind === 'gemini') {
    const usesKeyedRows = /^gemini-embedding-(?:[2-9]|[1-9]\d)(?!\d)/.test(vertexModel.name);
    return { resource: publisher(vertexModel.name, 'google'), instanceConfig: usesKeyedRows ? undefined : requestIdExcluded };
  }
  if (vertexModel.kind === 'anthropic') return { resource: publisher(vertexModel.name, 'anthropic'), instanceConfig: undefined };
  if (vertexModel.kind === 'open') {
    const [publisherName = '', name = ''] = vertexModel.model.split('/');
    return { resource: publisher(name, publisherName), instanceConfig: undefined };
  }
  throw new GatewayError('unsupported_parameter', {
    message: `The model "${model.slice(0, 100)}" does not run in batches of this provider.`,
    param: 'model',
    hint: 'For a tuned model use its resource, projects/<project>/locations/<region>/models/<id>.',
  });
}

const noModel = (): GatewayError =>
  new GatewayError('missing_required_parameter', {
    message: 'The model of the batch is unknown: neither the request nor the file names it.',
    param: 'model',
    hint: 'Send "model" in the body or x-gateway-provider-model, or upload the file through the gateway with purpose "batch".',
  });

const wrongEndpoint = (requested: string, stored: string): GatewayError =>
  new GatewayError('invalid_value', {
    message: `Invalid 'endpoint': the lines of the file are for ${stored}, not for ${requested}.`,
    param: 'endpoint',
  });
