import { isPlain, type Plain } from '../../core/json/merge.ts';

/**
 * Converts a chat completions body to a request of the responses API, limited to what token counting needs: texts, files, calls
 * and their results, and tools with their schemas.
 */
export function responsesOf(chat: Plain): Plain {
  const messages = Array.isArray(chat['messages']) ? chat['messages'].filter(isPlain) : [];
  const tools = Array.isArray(chat['tools']) ? chat['tools'].filter(isPlain) : [];
  const functions = tools.flatMap(({ function: fn }) => (isPlain(fn) ? [{ type: 'function', ...fn, strict: false }] : []));
  return {
    model: chat['model'],
    input: messages.flatMap(itemsOf),
    ...(functions.length === 0 ? {} : { tools: functions }),
  };
}

function itemsOf(message: Plain): readonly Plain[] {
  const { role, content, tool_calls: calls } = message;
  if (role === 'tool')
    return [{ type: 'function_call_output', call_id: message['tool_call_id'], output: textOf(content) }, ...filesOf(content)];
  if (role !== 'assistant') return [{ type: 'message', role, content: typeof content === 'string' ? content : partsOf(content) }];
  const text = textOf(content);
  const said = text === '' ? [] : [{ type: 'message', role, content: [{ type: 'output_text', text }] }];
  const made = (Array.isArray(calls) ? calls.filter(isPlain) : []).map(({ id, function: fn }) => ({
    type: 'function_call',
    call_id: id,
    ...(isPlain(fn) ? { name: fn['name'], arguments: fn['arguments'] } : {}),
  }));
  return [...said, ...made];
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => (typeof text === 'string' ? text : ''))
        .join('');

/** A function result holds only text, so the files of a tool result follow as a user message. */
function filesOf(content: unknown): readonly Plain[] {
  const files = partsOf(content).filter(({ type }) => type !== 'input_text');
  return files.length === 0 ? [] : [{ type: 'message', role: 'user', content: files }];
}

const listOf = (content: unknown): readonly Plain[] => (Array.isArray(content) ? content.filter(isPlain) : []);

function partsOf(content: unknown): readonly Plain[] {
  return listOf(content).map(({ type, text, image_url: image, file }) => {
    if (type === 'image_url') return { type: 'input_image', detail: 'auto', image_url: isPlain(image) ? image['url'] : image };
    return isPlain(file) ? { type: 'input_file', ...file } : { type: 'input_text', text };
  });
}
