/** Routes whose requests a message batch can contain. */
export const batchEndpoints = ['/v1/chat/completions', '/v1/messages'] as const;

export type BatchEndpoint = (typeof batchEndpoints)[number];

/**
 * A batch as clients name it. The service stores neither the requested format nor an output file, so the ids for clients encode
 * both. The service's own ids are letters and digits after `msgbatch_`, and name chat batches.
 */
export interface BatchName {
  /** The service's own id. */
  readonly id: string;
  readonly endpoint: BatchEndpoint;
}

const messagesMark = '-messages';
const outputMark = '-output';

/** Parses the id of a batch, or of its output file. */
export function batchNamed(text: string): BatchName {
  const bare = isOutputFile(text) ? text.slice(0, -outputMark.length) : text;
  return bare.endsWith(messagesMark)
    ? { id: bare.slice(0, -messagesMark.length), endpoint: '/v1/messages' }
    : { id: bare, endpoint: '/v1/chat/completions' };
}

export const clientId = ({ id, endpoint }: BatchName): string => (endpoint === '/v1/messages' ? id + messagesMark : id);

/** Returns the id of the output file, which `GET /v1/files/{id}` and `…/content` accept. */
export const outputFileId = (name: BatchName): string => clientId(name) + outputMark;

/** True for ids that `outputFileId` returned. */
export const isOutputFile = (id: string): boolean => id.startsWith('msgbatch_') && id.endsWith(outputMark);
