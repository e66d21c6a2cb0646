/** The value of a field: text, or JSON if it looks like a list or an object. */
export function valueOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

interface Message {
  readonly role: string;
  readonly text: string;
}

/** The messages of a chat body in readable form. */
export function messagesIn(body: string): readonly Message[] {
  const { messages } = parsed(body);
  if (!Array.isArray(messages)) return [];
  return (messages as unknown[]).filter(isRecord).map(({ role, content }) => ({ role: String(role), text: textOf(content) }));
}

/** Text of the response; null if there is none. */
export function replyIn(body: string): string | null {
  const { choices } = parsed(body);
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isRecord(first) || !isRecord(first['message'])) return null;
  const { content } = first['message'];
  return typeof content === 'string' && content !== '' ? content : null;
}

/** Input and output tokens of the response; null if it has none. */
export function tokensIn(body: string): readonly [input: number, output: number] | null {
  const { usage } = parsed(body);
  if (!isRecord(usage)) return null;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return typeof input === 'number' && typeof output === 'number' ? [input, output] : null;
}

/** Message of an error response. */
export function errorIn(body: string): string | null {
  const { error } = parsed(body);
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : null;
}

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return (content as unknown[])
    .filter(isRecord)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : `[${String(part['type'])}]`))
    .join('\n');
}
