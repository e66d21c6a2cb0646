/** Routes whose requests a message batch can contain. */
export const batchEndpoints = ['/v1/chat/completions', '/v1/messages'] as const;

export type BatchEndpoint = (typeof batchEndpoints)[number];

/**
 * A batch as clients name it. The service stores neither the requested format nor an output file, so the ids for clients encode
 * both. The service's own ids are letters and digits after `msgbatch_`, and name chat batches.
 */
export interface ParsedBatchId {
  /** The service's own id. */
  readonly id: string;
  readonly endpoint: BatchEndpoint;
}

const messagesSuffix = '-messages';
const outputSuffix = '-output';

/** Parses the id of a batch, or of its output file. */
export function parseBatchId(text: string): ParsedBatchId {
  const batchId = isOutputFile(text) ? text.slice(0, -outputSuffix.length) : text;
  return batchId.endsWith(messagesSuffix)
    ? { id: batchId.slice(0, -messagesSuffix.length), endpoint: '/v1/messages' }
    : { id: batchId, endpoint: '/v1/chat/completions' };
}

export const clientId = ({ id, endpoint }: ParsedBatchId): string => (endpoint === '/v1/messages' ? id + messagesSuffix : id);

/** Returns the id of the output file, which `GET /v1/files/{id}` and `…/content` accept. */
export const outputFileId = (name: ParsedBatchId): string => clientId(name) + outputSuffix;

/** True for ids that `outputFileId` returned. */
export const isOutputFile = (id: string): boolean => id.startsWith('msgbatch_') && id.endsWith(outputSuffix);
