import type { OldOperation } from '#core/provider.ts';
import { GatewayError } from '#core/error.ts';
import { BytesTap } from '#formats/openai-objects/object-tap.ts';
import { WholeTap } from '#formats/shared/json-tap.ts';
import { outputLines } from '../batches/output-lines.ts';
import { outputOf } from '../batches/output-place.ts';
import { plainRequest } from '../plain-request.ts';
import type { VertexSettings } from '../settings.ts';
import { fileOf, rowOf } from './file-object.ts';
import { fileIdOf } from './object-id.ts';
import { allowedObject, ownObject, type Storage, storageHeaders } from './storage.ts';

/** What is known of one file. */
export function retrieveFile(to: Storage): OldOperation<VertexSettings> {
  return {
    request: (_body, call) => plainRequest(to.object(call, fileIn(call)), 'GET', storageHeaders(call)),
    tap: () => new WholeTap(),
    result(text, call) {
      const file = fileOf(rowOf(text), { object: fileIn(call), createdAt: call.createdAt });
      if (file === undefined) throw new GatewayError('upstream_invalid', { message: 'The response names no object.', source: 'provider' });
      return file;
    },
  };
}

/**
 * The bytes of a file, whole or a range of them. What a batch has put out becomes OpenAI's lines on the way, so a range
 * of it would be one of other bytes: it is sent whole.
 */
export function fileContent(to: Storage): OldOperation<VertexSettings> {
  return {
    request(_body, call) {
      const object = fileIn(call);
      const range = outputOf(object) === undefined ? call.header('range') : undefined;
      const headers = storageHeaders(call, '*/*');
      if (range !== undefined) headers.push('range', range);
      return plainRequest(to.object(call, object, '?alt=media'), 'GET', headers);
    },
    lines(call) {
      const output = outputOf(fileIn(call));
      return output === undefined ? undefined : outputLines(output, call);
    },
    tap: () => new BytesTap(),
  };
}

export function deleteFile(to: Storage): OldOperation<VertexSettings> {
  return {
    request: (_body, call) => plainRequest(to.object(call, ownObject(call, fileIn(call), 'file_id')), 'DELETE', storageHeaders(call)),
    tap: () => new WholeTap(),
    result: (_text, call) => ({ id: fileIdOf(fileIn(call)), object: 'file', deleted: true }),
  };
}

type FileCall = Parameters<OldOperation<VertexSettings>['request']>[1];

const fileIn = (call: FileCall) => allowedObject(call, call.params['id'] ?? '', 'file_id');
