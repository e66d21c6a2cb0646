/**
 * Reads responses of generateContent for tests without code of the gateway. It parses everything, without optimization.
 */

export type Json = Record<string, unknown>;

/** The content that a client must receive. */
export interface GeminiResponse {
  readonly choices: readonly Choice[];
  readonly usage: { readonly prompt: number; readonly completion: number; readonly cached: number; readonly reasoning: number } | undefined;
}

export interface Choice {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  /** Data URIs. */
  readonly images: readonly string[];
  /** Number of parts of the code execution tool. */
  readonly native: number;
  readonly finish: string;
  readonly finishReason: string | undefined;
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly name: string; readonly args?: unknown };
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly executableCode?: unknown;
  readonly codeExecutionResult?: unknown;
}

interface Candidate {
  readonly index?: number;
  readonly content?: { readonly parts?: readonly Part[] };
  readonly finishReason?: string | number;
}

/** The objects of a stream. */
export function framesOf(body: string): readonly Json[] {
  return body
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)) as Json);
}

/** One whole response. */
export const responseOf = (raw: Json): GeminiResponse => mergeStream([raw]);

/** All parts of all frames, by candidate; each count from the last frame that has it. */
export function mergeStream(frames: readonly Json[]): GeminiResponse {
  const parts = new Map<number, Part[]>();
  const finishReasons = new Map<number, string>();
  for (const frame of frames) {
    for (const candidate of (frame['candidates'] ?? []) as Candidate[]) {
      const index = candidate.index ?? 0;
      parts.set(index, [...(parts.get(index) ?? []), ...(candidate.content?.parts ?? [])]);
      // 1 is STOP in the enum's numbers.
      if (candidate.finishReason !== undefined)
        finishReasons.set(index, candidate.finishReason === 1 ? 'STOP' : String(candidate.finishReason));
    }
  }
  return { choices: [...parts].map(([index, list]) => choiceOf(list, finishReasons.get(index))), usage: countsOf(frames) };
}

function choiceOf(parts: readonly Part[], finishReason: string | undefined): Choice {
  const calls = parts.flatMap((part) =>
    part.functionCall === undefined ? [] : [{ name: part.functionCall.name, args: part.functionCall.args ?? {} }],
  );
  return {
    text: parts
      .filter((part) => part.thought !== true)
      .map((part) => part.text ?? '')
      .join(''),
    thinking: parts
      .filter((part) => part.thought === true)
      .map((part) => part.text ?? '')
      .join(''),
    calls,
    images: parts.flatMap(({ inlineData }) => (inlineData === undefined ? [] : [`data:${inlineData.mimeType};base64,${inlineData.data}`])),
    native: parts.filter((part) => part.executableCode !== undefined || part.codeExecutionResult !== undefined).length,
    finish:
      finishReason === 'MAX_TOKENS' ? 'length' : finishReason === 'SAFETY' ? 'content_filter' : calls.length > 0 ? 'tool_calls' : 'stop',
    finishReason,
  };
}

function countsOf(frames: readonly Json[]): GeminiResponse['usage'] {
  const usages = frames.map((frame) => frame['usageMetadata'] as Record<string, number> | undefined).filter((one) => one !== undefined);
  if (usages.length === 0) return undefined;
  const last = (name: string): number => usages.findLast((one) => one[name] !== undefined)?.[name] ?? 0;
  const prompt = last('promptTokenCount') + last('toolUsePromptTokenCount');
  const thoughts = last('thoughtsTokenCount');
  const candidates = last('candidatesTokenCount');
  const total = usages.at(-1)?.['totalTokenCount'];
  // Some models include thoughts in the candidates count; the total shows which.
  const completion = total === prompt + candidates ? candidates : candidates + thoughts;
  return { prompt, completion, cached: last('cachedContentTokenCount'), reasoning: thoughts };
}

/** All signatures, sorted. */
export function signaturesOf(frames: readonly Json[]): readonly string[] {
  return frames
    .flatMap((frame) => ((frame['candidates'] ?? []) as Candidate[]).flatMap((candidate) => candidate.content?.parts ?? []))
    .flatMap((part) => part.thoughtSignature ?? [])
    .sort();
}
