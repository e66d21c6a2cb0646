/** Routes whose requests a message batch can hold. */
export const batchEndpoints = ['/v1/chat/completions', '/v1/messages'] as const;

export type BatchEndpoint = (typeof batchEndpoints)[number];

/**
 * A batch as clients name it. The service remembers neither the format that was asked for nor a file of answers, so the
 * ids that clients get say both; its own ids are letters and digits behind `msgbatch_` and are names of chat batches.
 */
export interface BatchName {
  /** As the service knows it. */
  readonly id: string;
  readonly endpoint: BatchEndpoint;
}

const messagesMark = '-messages';
const outputMark = '-output';

/** What an id of a batch, or of its file of answers, names. */
export function batchNamed(text: string): BatchName {
  const bare = isOutputFile(text) ? text.slice(0, -outputMark.length) : text;
  return bare.endsWith(messagesMark)
    ? { id: bare.slice(0, -messagesMark.length), endpoint: '/v1/messages' }
    : { id: bare, endpoint: '/v1/chat/completions' };
}

export const clientId = ({ id, endpoint }: BatchName): string => (endpoint === '/v1/messages' ? id + messagesMark : id);

/** Id of the file of answers, which `GET /v1/files/{id}` and `…/content` understand. */
export const outputFileId = (name: BatchName): string => clientId(name) + outputMark;

/** True for ids that `outputFileId` gave. */
export const isOutputFile = (id: string): boolean => id.startsWith('msgbatch_') && id.endsWith(outputMark);
