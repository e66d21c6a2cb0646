/**
 * Recorded requests of Converse as the chat completions body that means the same: written from the API's documentation,
 * apart from the converter that is tested with it.
 */

export type Json = Readonly<Record<string, unknown>>;

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  csv: 'text/csv',
  mp4: 'video/mp4',
};

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const of = (value: unknown): Json => (value ?? {}) as Json;

/** Blocks with each mark of the cache joined to the block before it. */
function marked(content: readonly Json[], make: (block: Json) => Json): Json[] {
  const out: Json[] = [];
  for (const block of content) {
    if (block['cachePoint'] === undefined) out.push(make(block));
    else out.push({ ...out.pop(), cache_control: { type: 'ephemeral' } });
  }
  return out;
}

export function chatOf(body: Json): Json {
  const system = marked(list(body['system']), ({ text }) => ({ type: 'text', text }));
  const inference = of(body['inferenceConfig']);
  const { tools, toolChoice } = of(body['toolConfig']);
  const choice = of(toolChoice);
  return {
    messages: [
      ...(system.length === 0 ? [] : [{ role: 'system', content: system }]),
      ...list(body['messages']).flatMap((message) => (message['role'] === 'assistant' ? [assistant(message)] : user(message))),
    ],
    ...entry('max_completion_tokens', inference['maxTokens']),
    ...entry('temperature', inference['temperature']),
    ...entry('top_p', inference['topP']),
    ...entry('stop', inference['stopSequences']),
    ...entry('tools', tools === undefined ? undefined : marked(list(tools), tool)),
    ...entry('tool_choice', toolChoice === undefined ? undefined : choiceOf(choice)),
    ...entry('guardrailConfig', body['guardrailConfig']),
    ...entry('additionalModelRequestFields', body['additionalModelRequestFields']),
    ...entry('outputConfig', body['outputConfig']),
    ...entry('performanceConfig', body['performanceConfig']),
    ...entry('requestMetadata', body['requestMetadata']),
  };
}

const entry = (name: string, value: unknown): Json => (value === undefined ? {} : { [name]: value });

function choiceOf({ any, tool: named }: Json): unknown {
  if (named !== undefined) return { type: 'function', function: { name: of(named)['name'] } };
  return any === undefined ? 'auto' : 'required';
}

function tool({ toolSpec }: Json): Json {
  const { name, description, inputSchema, strict } = of(toolSpec);
  const fn = { name, ...entry('description', description), ...entry('strict', strict), parameters: of(inputSchema)['json'] };
  return { type: 'function', function: fn };
}

function assistant({ content }: Json): Json {
  const calls = list(content).filter((block) => block['toolUse'] !== undefined);
  return {
    role: 'assistant',
    content: null,
    content_blocks: marked(list(content), assistantPart),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ toolUse }) => called(of(toolUse))) }),
  };
}

const called = ({ toolUseId, name, input }: Json): Json => ({
  id: toolUseId,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});

function assistantPart({ text, toolUse, reasoningContent, citationsContent }: Json): Json {
  if (toolUse !== undefined) {
    const { toolUseId: id, name, input } = of(toolUse);
    return { type: 'tool_use', id, name, input };
  }
  if (reasoningContent !== undefined) return { type: 'thinking', ...rename(of(of(reasoningContent)['reasoningText'])) };
  if (citationsContent === undefined) return { type: 'text', text };
  const { content, citations } = of(citationsContent);
  return { type: 'text', text: list(content)[0]?.['text'], citations: list(citations).map(cited) };
}

const rename = ({ text, signature }: Json): Json => ({ thinking: text, signature });

function cited({ title, sourceContent, location }: Json): Json {
  const { documentIndex, start, end } = of(of(location)['documentChar']);
  const range = { document_index: documentIndex, start_char_index: start, end_char_index: end };
  return { type: 'char_location', document_title: title, cited_text: list(sourceContent)[0]?.['text'], ...range };
}

function user({ content }: Json): Json[] {
  const results = list(content).filter((block) => block['toolResult'] !== undefined);
  const rest = list(content).filter((block) => block['toolResult'] === undefined);
  return [
    ...results.map(({ toolResult }) => {
      const { toolUseId, content: parts, status } = of(toolResult);
      return { role: 'tool', tool_call_id: toolUseId, content: list(parts).map(part), ...(status === 'error' ? { is_error: true } : {}) };
    }),
    ...(rest.length === 0 ? [] : [{ role: 'user', content: marked(rest, part) }]),
  ];
}

function part(block: Json): Json {
  const { text, image, document, video, guardContent, json } = block;
  if (json !== undefined) return { type: 'text', text: JSON.stringify(json) };
  if (typeof text === 'string') return { type: 'text', text };
  if (guardContent !== undefined) return { type: 'guard_content', guard_content: guardContent };
  if (image !== undefined) return { type: 'image_url', image_url: { url: uri(of(image)) } };
  if (video !== undefined) return { type: 'file', file: { file_data: uri(of(video)) } };
  const { name, source, context, citations } = of(document);
  const extras = { ...entry('context', context), ...entry('citations', citations) };
  const { bytes, text: inner, content } = of(source);
  if (bytes !== undefined) return { type: 'file', file: { filename: name, file_data: uri(of(document)) }, ...extras };
  const documentSource = inner === undefined ? { type: 'content', content } : { type: 'text', data: inner };
  return { type: 'document', title: name, source: documentSource, ...extras };
}

function uri({ format, source }: Json): string {
  const formatName = String(format);
  const { bytes, s3Location } = of(source);
  return bytes === undefined ? String(of(s3Location)['uri']) : `data:${types[formatName] ?? formatName};base64,${String(bytes)}`;
}
