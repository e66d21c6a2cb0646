import { toMessages } from '../../src/formats/anthropic-messages/request/index.ts';
import { openingText } from '../../src/formats/anthropic-messages/request/turns.ts';
import { toHub } from '../../src/formats/anthropic-messages/to-hub/index.ts';
import { callOf } from '../contract/call.ts';
import type { Json } from '../contract/gemini-oracle.ts';

/** A messages request through the common form and back. */
export function roundTrip(body: Json): { readonly body: Json; readonly dropped: readonly string[] } {
  const hub = toHub(body);
  const back = toMessages(hub.body, callOf({ model: String(body['model']), strict: false, stream: body['stream'] === true }), {
    media: new Map(),
    handled: ['labels'],
  });
  return { body: back.body as Json, dropped: [...hub.dropped, ...back.dropped].map(({ param }) => param) };
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/**
 * A request in one of the forms that say the same: texts as blocks, blanks left out, neighbours of one role as one turn,
 * what is the default not said.
 */
export function normal(body: Json): Json {
  const { system, messages, tools, tool_choice, output_format, service_tier, anthropic_beta: _beta, output_config, ...rest } = body;
  const turns: { role: unknown; content: Json[] }[] = [];
  for (const { role, content } of list(messages)) {
    const blocks = blocksOf(content);
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) turns.push({ role, content: blocks });
  }
  // The API wants to hear the user first.
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [{ type: 'text', text: openingText }] });
  const end = turns.at(-1);
  const text = end?.role === 'assistant' ? end.content.at(-1) : undefined;
  if (text?.['type'] === 'text') text['text'] = String(text['text']).trimEnd();
  const config: Json = { ...(output_config as Json | undefined), ...(output_format ? { format: output_format } : {}) };
  return present({
    ...rest,
    system: blocksOf(system),
    messages: turns,
    tools: list(tools).map(toolOf),
    tool_choice: present((tool_choice ?? {}) as Json),
    output_config: config,
    service_tier: service_tier === 'auto' ? undefined : service_tier,
  });
}

function blocksOf(content: unknown): Json[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  return list(content)
    .filter(({ type, text }) => type !== 'text' || String(text).trim() !== '')
    .map(blockOf);
}

function blockOf(block: Json): Json {
  const { citations, content, caller: _caller, ...rest } = block;
  const cited = Array.isArray(citations) ? citations.length > 0 : (citations as Json | undefined)?.['enabled'] === true;
  const isResult = block['type'] === 'tool_result';
  const inner = isResult ? resultBlocks(content) : content;
  const error = rest['is_error'] === false && isResult ? { is_error: undefined } : {};
  return present({ ...rest, ...error, ...(cited ? { citations } : {}), content: inner });
}

/** The mark of a block in a result belongs to the result. */
const resultBlocks = (content: unknown): Json[] => blocksOf(content);

function toolOf(tool: Json): Json {
  const { type, strict, ...rest } = tool;
  return present({ ...rest, strict: strict === true ? true : undefined, type: type === 'custom' ? undefined : type });
}

/** Without what says nothing. */
function present(object: Json): Json {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => {
      if (value === undefined || value === null || value === false) return false;
      return typeof value !== 'object' || (Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0);
    }),
  );
}
