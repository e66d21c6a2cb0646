import type { Endpoint } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import type { FormBody, FormEdit } from '#core/http/form.ts';
import { defaultPrefixes } from '#core/http/headers.ts';
import type { JsonObject } from '#core/json/merge.ts';
import { type Operation, Passing, type UpstreamRequest } from '#core/provider.ts';
import { encodeIdSegment } from '../../_shared/address.ts';
import { fileHeaders } from '#formats/openai-objects/file-headers.ts';
import { parseObject } from '#formats/shared/json.ts';
import { BytesTap, ObjectTap } from '#formats/openai-objects/object-tap.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { parseBatchId, isOutputFile } from '../batches/ids.ts';
import { readBatch, readOutput } from '../batches/output.ts';
import { type AnthropicCall, listParams, send, type SendOptions } from '../send.ts';
import type { AnthropicSettings } from '../settings.ts';
import { filesBeta } from '#formats/anthropic-messages/files-beta.ts';
import { toDeleted, toFile, toFiles } from './object.ts';

type Op = Operation<AnthropicSettings>;

/**
 * The file routes on the files API. Anthropic's own library calls the same paths; its requests and responses pass unchanged. The
 * service has no output file of a batch; the id of one leads to the results.
 */
export const fileOperations: { readonly [E in Endpoint]?: Op } = {
  files: objectOperation(uploadRequest, (call, text) => toFile(parseObject(text), fileOptions(call))),
  'files/list': objectOperation(listRequest, (call, text) => toFiles(text, fileOptions(call))),
  'files/{id}': objectOperation(
    (call) => (isOutput(call) ? readBatch(call) : fileRequest(call)),
    (call, text) => (isOutput(call) ? outputFile(text, call) : toFile(parseObject(text), fileOptions(call))),
  ),
  'files/{id}/delete': objectOperation(
    (call) => fileRequest(call),
    (call, text) => toDeleted(text, call.params['id'] ?? ''),
  ),
  'files/{id}/content': {
    isConverted: true,
    begin: (_body, call) => (isOutput(call) ? readOutput(call) : new Passing(contentRequest(call), new BytesTap())),
  },
};

/** Responses that are one object of the OpenAI format. For the service's own library they pass unchanged. */
function objectOperation(requestFor: (call: AnthropicCall) => UpstreamRequest, result: (call: AnthropicCall, text: string) => unknown): Op {
  return {
    isConverted: true,
    begin(_body, call) {
      const forwarded = { request: requestFor(call), tap: new ObjectTap() };
      return isNative(call) ? forwarded : { ...forwarded, result: (text) => result(call, text) };
    },
  };
}

/**
 * True for the service's own library, which sends the version header in every request. With a gateway prefix the same header is
 * only a setting, which clients of the OpenAI format use.
 */
export const isNative = (call: Pick<AnthropicCall, 'header'>): boolean =>
  ['anthropic-version', 'anthropic-beta'].some(
    (name) => call.header(name) !== undefined && !defaultPrefixes.some((prefix) => call.header(prefix + name) !== undefined),
  );

const isOutput = (call: AnthropicCall): boolean => isOutputFile(call.params['id'] ?? '') && !isNative(call);

const fileOptions = (call: AnthropicCall) => ({ strict: call.strict, purpose: call.form?.fields.get('purpose') });

/** Sends the request without the client's query and with the beta header. A native request has its own. */
function sendFile(call: AnthropicCall, route: string, more: Omit<SendOptions, 'route'>): UpstreamRequest {
  if (!isNative(call)) return send(call, { route, query: '', betas: [filesBeta], ...more });
  return send(call, more.headers === undefined ? { route } : { route, headers: more.headers });
}

const routeOf = (call: AnthropicCall): string => `files/${encodeIdSegment(call.params['id'] ?? '')}`;

const fileRequest = (call: AnthropicCall): UpstreamRequest => sendFile(call, routeOf(call), { accept: 'application/json' });

/** Reads the content, or only the range that the caller requests. */
const contentRequest = (call: AnthropicCall): UpstreamRequest =>
  sendFile(call, `${routeOf(call)}/content`, { accept: '*/*', headers: fileHeaders(call) });

function listRequest(call: AnthropicCall): UpstreamRequest {
  const query = new URLSearchParams();
  const { limit, after, dropped } = listParams(call);
  if (after !== undefined) query.set('after_id', after);
  if (limit !== undefined) query.set('limit', /^\d+$/.test(limit) && Number(limit) > maxLimit ? String(maxLimit) : limit);
  if (Number(limit) > maxLimit) dropped.push({ param: 'limit', reason: `the service returns at most ${maxLimit} files a page` });
  return sendFile(call, 'files', { query: query.toString(), dropped });
}

/** Maximum number of files per page. OpenAI's maximum is ten times higher. */
const maxLimit = 1000;

/** Form fields of OpenAI. The API rejects every field but `file`. */
const openaiFormFields = ['purpose', 'expires_after[anchor]', 'expires_after[seconds]', 'expires_after', 'model', 'provider'] as const;

function uploadRequest(call: AnthropicCall): UpstreamRequest {
  const { form } = call;
  if (form === undefined) {
    throw new GatewayError('invalid_form', { message: 'A file is uploaded as multipart/form-data, in the field "file".', param: 'file' });
  }
  const edit = isNative(call) ? undefined : removeOtherFields(form);
  const sent = { route: 'files', body: { kind: 'form' as const, form, edit } };
  if (edit === undefined) return send(call, sent);
  const dropped = [...edit.fields.keys()]
    .filter((name) => form.fields.has(name))
    .map((param) => ({ param, reason: 'the service stores only the file' }));
  return send(call, { ...sent, query: '', betas: [filesBeta], dropped });
}

function removeOtherFields(form: FormBody): FormEdit {
  return { fields: new Map([...openaiFormFields, ...form.fields.keys()].map((name) => [name, undefined])) };
}

/** Describes the output file. Its size is unknown until it is read, so `bytes` is 0. */
function outputFile(text: string, call: AnthropicCall): JsonObject {
  const batch = parseObject(text) ?? {};
  const name = parseBatchId(call.params['id'] ?? '');
  return {
    id: call.params['id'],
    object: 'file',
    bytes: 0,
    created_at: unixSeconds(batch['ended_at']) ?? unixSeconds(batch['created_at']) ?? 0,
    filename: `${name.id}_output.jsonl`,
    purpose: 'batch_output',
    status: 'processed',
  };
}
