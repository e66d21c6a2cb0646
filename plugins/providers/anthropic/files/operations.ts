import type { Endpoint } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import type { FormBody, FormEdit } from '#core/http/form.ts';
import { defaultPrefixes } from '#core/http/headers.ts';
import type { Plain } from '#core/json/merge.ts';
import { type Operation, Passing, type UpstreamRequest } from '#core/provider.ts';
import { idSegment, paramOf } from '../../_shared/address.ts';
import { fileHeaders } from '#formats/openai-objects/file-headers.ts';
import { parseObject } from '#formats/shared/json.ts';
import { BytesTap, ObjectTap } from '#formats/openai-objects/object-tap.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { batchNamed, isOutputFile } from '../batches/ids.ts';
import { readBatch, readOutput } from '../batches/output.ts';
import { type ACall, otherParams, send, type Sent } from '../send.ts';
import type { AnthropicSettings } from '../settings.ts';
import { filesBeta } from '#formats/anthropic-messages/files-beta.ts';
import { toDeleted, toFile, toFiles } from './object.ts';

type Op = Operation<AnthropicSettings>;

/**
 * The file routes on the files API. Its own library calls the same paths: those requests pass unchanged both ways. The
 * file of a batch's answers is none of the service; its id leads to the results.
 */
export const fileOperations: { readonly [E in Endpoint]?: Op } = {
  files: object(upload, (call, text) => toFile(parseObject(text), view(call))),
  'files/list': object(list, (call, text) => toFiles(text, view(call))),
  'files/{id}': object(
    (call) => (isOutput(call) ? readBatch(call) : one(call)),
    (call, text) => (isOutput(call) ? outputFile(text, call) : toFile(parseObject(text), view(call))),
  ),
  'files/{id}/delete': object(
    (call) => one(call),
    (call, text) => toDeleted(text, call.params['id'] ?? ''),
  ),
  'files/{id}/content': {
    isConverted: true,
    begin: (_body, call) => (isOutput(call) ? readOutput(call) : new Passing(content(call), new BytesTap())),
  },
};

/** Answers that are one object of the OpenAI format; for the service's own library they pass. */
function object(request: (call: ACall) => UpstreamRequest, result: (call: ACall, text: string) => unknown): Op {
  return {
    isConverted: true,
    begin(_body, call) {
      const passing = { request: request(call), tap: new ObjectTap() };
      return isNative(call) ? passing : { ...passing, result: (text) => result(call, text) };
    },
  };
}

/**
 * The service's own library: it names the version in every request. Under one of our prefixes the same header is only a
 * setting, which clients of the OpenAI format use.
 */
export const isNative = (call: Pick<ACall, 'header'>): boolean =>
  ['anthropic-version', 'anthropic-beta'].some(
    (name) => call.header(name) !== undefined && !defaultPrefixes.some((prefix) => call.header(prefix + name) !== undefined),
  );

const isOutput = (call: ACall): boolean => isOutputFile(call.params['id'] ?? '') && !isNative(call);

const view = (call: ACall) => ({ strict: call.strict, purpose: call.form?.fields.get('purpose') });

/** Without the client's query and with the beta; a native request says both itself. */
function sendFile(call: ACall, route: string, more: Omit<Sent, 'route'>): UpstreamRequest {
  if (!isNative(call)) return send(call, { route, query: '', betas: [filesBeta], ...more });
  return send(call, more.headers === undefined ? { route } : { route, headers: more.headers });
}

const routeOf = (call: ACall): string => `files/${idSegment(call.params['id'] ?? '')}`;

const one = (call: ACall): UpstreamRequest => sendFile(call, routeOf(call), { accept: 'application/json' });

/** Or the part of it that the caller asks for. */
const content = (call: ACall): UpstreamRequest => sendFile(call, `${routeOf(call)}/content`, { accept: '*/*', headers: fileHeaders(call) });

function list(call: ACall): UpstreamRequest {
  const query = new URLSearchParams();
  const limit = paramOf(call.query, 'limit');
  const after = paramOf(call.query, 'after');
  const dropped = [...otherParams(call.query, ['limit', 'after'])];
  if (after !== undefined) query.set('after_id', after);
  if (limit !== undefined) query.set('limit', /^\d+$/.test(limit) && Number(limit) > maxLimit ? String(maxLimit) : limit);
  if (Number(limit) > maxLimit) dropped.push({ param: 'limit', reason: `the service returns at most ${maxLimit} files a page` });
  return sendFile(call, 'files', { query: query.toString(), dropped });
}

/** Files of a page; OpenAI gives ten times as many. */
const maxLimit = 1000;

/** Fields of OpenAI's form; the API refuses every field but `file`. */
const formFields = ['purpose', 'expires_after[anchor]', 'expires_after[seconds]', 'expires_after', 'model', 'provider'] as const;

function upload(call: ACall): UpstreamRequest {
  const { form } = call;
  if (form === undefined) {
    throw new GatewayError('invalid_form', { message: 'A file is uploaded as multipart/form-data, in the field "file".', param: 'file' });
  }
  const edit = isNative(call) ? undefined : onlyFile(form);
  const sent = { route: 'files', body: { kind: 'form' as const, form, edit } };
  if (edit === undefined) return send(call, sent);
  const dropped = [...edit.fields.keys()]
    .filter((name) => form.fields.has(name))
    .map((param) => ({ param, reason: 'the service stores only the file' }));
  return send(call, { ...sent, query: '', betas: [filesBeta], dropped });
}

function onlyFile(form: FormBody): FormEdit {
  return { fields: new Map([...formFields, ...form.fields.keys()].map((name) => [name, undefined])) };
}

/** What is known of the file of answers; its length is told when it is read. */
function outputFile(text: string, call: ACall): Plain {
  const batch = parseObject(text) ?? {};
  const name = batchNamed(call.params['id'] ?? '');
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
