/** The next step of a model: it returns text or calls a tool. */
export type Step = { readonly text: string } | { readonly call: string; readonly input: object };

/** A response, complete and as the events of its stream. */
export interface RenderedResponse {
  readonly whole: object;
  readonly stream: readonly string[];
}

/** A step in the format of one API. @param nth number of the response, for unique ids */
export type Format = (step: Step, model: unknown, nth: number) => RenderedResponse;

const pieces = (text: string): string[] => text.match(/[^]{1,6}/gu) ?? [];
const argumentsOf = (step: { input: object }): string => JSON.stringify(step.input);
const created = 1_767_312_000;

/** OpenAI's chat completions. */
export const chat: Format = (step, model, nth) => {
  const head = { id: `chatcmpl-${nth}`, created, model };
  const call = (fields: object) => ({ index: 0, ...fields });
  const usage = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 };
  const isCall = 'call' in step;
  const finish = isCall ? 'tool_calls' : 'stop';
  const toolCall = isCall
    ? { id: `call_${nth}`, type: 'function', function: { name: step.call, arguments: argumentsOf(step) } }
    : undefined;
  const message = isCall ? { content: null, tool_calls: [toolCall] } : { content: step.text };
  const chunk = (delta: object, reason: string | null = null) =>
    data({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });
  const deltas = isCall
    ? [
        { tool_calls: [call({ ...toolCall, function: { name: step.call, arguments: '' } })] },
        ...pieces(argumentsOf(step)).map((piece) => ({ tool_calls: [call({ function: { arguments: piece } })] })),
      ]
    : pieces(step.text).map((content) => ({ content }));
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
      usage,
    },
    stream: [
      chunk({ role: 'assistant', content: isCall ? null : '' }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finish),
      data({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
      'data: [DONE]\n\n',
    ],
  };
};

/** OpenAI's responses. */
export const responses: Format = (step, model, nth) => {
  const item =
    'call' in step
      ? {
          id: `fc_${nth}`,
          type: 'function_call',
          call_id: `call_${nth}`,
          name: step.call,
          arguments: argumentsOf(step),
          status: 'completed',
        }
      : {
          id: `msg_${nth}`,
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: step.text, annotations: [] }],
        };
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 16,
  };
  const object = (status: string) => ({
    id: `resp_${nth}`,
    object: 'response',
    created_at: created,
    model,
    status,
    output: status === 'completed' ? [item] : [],
    usage: status === 'completed' ? usage : null,
  });
  let sequence = 0;
  const event = (type: string, more: object) => sseEvent(type, { type, sequence_number: sequence++, ...more });
  const itemPosition = { item_id: item.id, output_index: 0 };
  const parts =
    'call' in step
      ? pieces(argumentsOf(step)).map((delta) => event('response.function_call_arguments.delta', { ...itemPosition, delta }))
      : pieces(step.text).map((delta) => event('response.output_text.delta', { ...itemPosition, content_index: 0, delta }));
  return {
    whole: object('completed'),
    stream: [
      event('response.created', { response: object('in_progress') }),
      event('response.output_item.added', {
        output_index: 0,
        item: { ...item, status: 'in_progress', ...('call' in step ? { arguments: '' } : { content: [] }) },
      }),
      ...parts,
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response: object('completed') }),
    ],
  };
};

/** Anthropic's messages. */
export const messages: Format = (step, model, nth) => {
  const isCall = 'call' in step;
  const reason = isCall ? 'tool_use' : 'end_turn';
  const head = { id: `msg_${nth}`, type: 'message', role: 'assistant', model, stop_sequence: null };
  const usage = { input_tokens: 9, output_tokens: 7 };
  const empty = isCall ? { type: 'tool_use', id: `toolu_${nth}`, name: step.call, input: {} } : { type: 'text', text: '' };
  const deltas = isCall
    ? pieces(argumentsOf(step)).map((part) => ({ type: 'input_json_delta', partial_json: part }))
    : pieces(step.text).map((text) => ({ type: 'text_delta', text }));
  const event = (type: string, more: object) => sseEvent(type, { type, ...more });
  return {
    whole: { ...head, content: [isCall ? { ...empty, input: step.input } : { ...empty, text: step.text }], stop_reason: reason, usage },
    stream: [
      event('message_start', { message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } }),
      event('content_block_start', { index: 0, content_block: empty }),
      ...deltas.map((delta) => event('content_block_delta', { index: 0, delta })),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage }),
      event('message_stop', {}),
    ],
  };
};

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const sseEvent = (type: string, value: object): string => `event: ${type}\n${data(value)}`;
