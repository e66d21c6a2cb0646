import { GatewayError } from '../../core/error.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';
import { parseObject, textOf } from '../shared/json.ts';

/** Converts input of the responses API to chat messages, limited to what token counting needs: texts, files, calls and their results. */
export function chatOfResponses(body: Plain): Plain {
  const { input, instructions, tools } = body;
  const items: readonly unknown[] = Array.isArray(input) ? (input as unknown[]) : [{ role: 'user', content: input ?? '' }];
  const system = textOf(instructions);
  return {
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...items.filter(isPlain).flatMap(messageOf)],
    ...(Array.isArray(tools) ? { tools: tools.filter(isFunction) } : {}),
  };
}

/** Other tools of the responses API run at OpenAI and have no tokens here. */
const isFunction = (tool: unknown): boolean => isPlain(tool) && tool['type'] === 'function';

function messageOf(item: Plain): Plain[] {
  const id = item['call_id'];
  switch (item['type']) {
    case 'function_call':
      return [{ role: 'assistant', tool_calls: [{ id, function: { name: item['name'], arguments: item['arguments'] } }] }];
    case 'function_call_output':
      return [{ role: 'tool', tool_call_id: id, content: item['output'] }];
    case 'message':
    case undefined:
      return typeof item['role'] === 'string' ? [{ role: item['role'], content: item['content'] }] : [];
    default:
      return [];
  }
}

/** Selects the fields that `:countTokens` of Vertex AI accepts, and wraps them for the API-key endpoint. */
export function toCountTokens(request: Plain, model: string, surface: 'vertex' | 'developer'): Plain {
  const { contents, systemInstruction, tools } = request;
  const counted = {
    contents,
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(tools === undefined ? {} : { tools }),
  };
  return surface === 'vertex' ? counted : { generateContentRequest: { model: `models/${model}`, ...counted } };
}

/** Converts the count to the form of the responses API. @throws GatewayError `upstream_invalid` */
export function fromCountTokens(text: string): Plain {
  const total = parseObject(text)?.['totalTokens'];
  if (typeof total !== 'number') {
    throw new GatewayError('upstream_invalid', { message: 'The response of the provider contains no token count.', source: 'provider' });
  }
  return { object: 'response.input_tokens', input_tokens: total };
}
