import type { MockFile } from './file-ids.ts';

/** What comes of a file: made up by its purpose, since nothing is stored, and the same each time. */
export function contentOf({ purpose, filename, endpoint, createdAt }: MockFile): string {
  switch (purpose) {
    case 'batch':
      return lines(batchIds.map((id, index) => ({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body: chatBody(index) })));
    case 'batch_output':
      return lines(
        batchIds.map((id, index) => ({
          id: `batch_req_${index + 1}`,
          custom_id: id,
          response: { status_code: 200, request_id: `mock-${index + 1}`, body: answerBody(endpoint, index, createdAt) },
          error: null,
        })),
      );
    case 'fine-tune':
      return lines(batchIds.map((_, index) => ({ messages: [...chatBody(index).messages, { role: 'assistant', content: said(index) }] })));
    default:
      return `The content of ${filename}.\n`;
  }
}

/** Requests of every batch. */
export const batchIds = ['request-1', 'request-2', 'request-3'] as const;

const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const said = (index: number): string => `Answer ${index + 1}.`;

const chatBody = (index: number) => ({ model: 'echo', messages: [{ role: 'user', content: said(index) }] });

/** A small answer of the endpoint that the batch was of. */
function answerBody(endpoint: string, index: number, created: number): unknown {
  const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
  switch (endpoint) {
    case '/v1/embeddings':
      return { object: 'list', model: 'echo', data: [{ object: 'embedding', index: 0, embedding: [1, 0, 0] }], usage };
    case '/v1/completions':
      return { id: `cmpl-${index}`, object: 'text_completion', created, model: 'echo', choices: [choice({ text: said(index) })], usage };
    case '/v1/moderations':
      return { id: `modr-${index}`, model: 'echo', results: [{ flagged: false, categories: {}, category_scores: {} }] };
    case '/v1/responses':
      return {
        id: `resp_${index}`,
        object: 'response',
        created_at: created,
        status: 'completed',
        model: 'echo',
        output: [{ type: 'message', id: `msg_${index}`, role: 'assistant', status: 'completed', content: [textPart(index)] }],
        usage: { input_tokens: 3, output_tokens: 3, total_tokens: 6 },
      };
    default:
      return {
        id: `chatcmpl-${index}`,
        object: 'chat.completion',
        created,
        model: 'echo',
        choices: [choice({ message: { role: 'assistant', content: said(index), refusal: null } })],
        usage,
      };
  }
}

const choice = (said: object) => ({ index: 0, logprobs: null, finish_reason: 'stop', ...said });
const textPart = (index: number) => ({ type: 'output_text', text: said(index), annotations: [] });
