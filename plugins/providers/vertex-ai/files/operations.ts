import type { Operation } from '#core/provider.ts';
import { GatewayError } from '#core/error.ts';
import { BytesTap } from '#formats/openai-objects/object-tap.ts';
import { deletedFile } from '#formats/openai-objects/objects.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { plainRequest, type VertexCall } from '../address.ts';
import { outputLines } from '../batches/output-lines.ts';
import { outputOf } from '../batches/kind.ts';
import type { VertexSettings } from '../settings.ts';
import { fileOf, parseRow } from './file-object.ts';
import { listFiles } from './list.ts';
import { fileIdOf, type StoredObject } from './object-id.ts';
import { allowedObject, objectAddress, deletableObject, storageHeaders } from './storage.ts';
import { upload } from './upload.ts';

type Op = Operation<VertexSettings>;

/** Returns the metadata of one file. */
const retrieve: Op = {
  isConverted: true,
  begin(_body, call) {
    const object = fileIn(call);
    return {
      request: plainRequest(objectAddress(call, object), 'GET', storageHeaders(call)),
      tap: new OpaqueTap(),
      result(text) {
        const file = fileOf(parseRow(text), { object, createdAt: call.createdAt });
        if (file === undefined)
          throw new GatewayError('upstream_invalid', { message: 'The response names no object.', source: 'provider' });
        return file;
      },
    };
  },
};

/**
 * Returns the bytes of a file, or a range of them. The output of a batch is converted to OpenAI's lines. A range would refer to
 * other bytes, so it is sent completely.
 */
const content: Op = {
  isConverted: true,
  begin(_body, call) {
    const object = fileIn(call);
    const output = outputOf(object);
    // Storage ignores `If-Range`: the range would then be one of another version of the file.
    const range = output === undefined && call.header('if-range') === undefined ? call.header('range') : undefined;
    const headers = storageHeaders(call, '*/*');
    if (range !== undefined) headers.push('range', range);
    const request = plainRequest(objectAddress(call, object, '?alt=media'), 'GET', headers);
    const tap = new BytesTap();
    return output === undefined ? { request, tap } : { request, tap, lines: outputLines(output, call) };
  },
};

const remove: Op = {
  isConverted: true,
  begin(_body, call) {
    const object = fileIn(call);
    return {
      request: plainRequest(objectAddress(call, deletableObject(call, object)), 'DELETE', storageHeaders(call)),
      tap: new OpaqueTap(),
      result: () => deletedFile(fileIdOf(object)),
    };
  },
};

/** OpenAI's file routes on object storage. */
export const fileOperations = {
  files: upload,
  'files/list': listFiles,
  'files/{id}': retrieve,
  'files/{id}/content': content,
  'files/{id}/delete': remove,
} as const;

const fileIn = (call: VertexCall): StoredObject => allowedObject(call, call.params['id'] ?? '', 'file_id');
