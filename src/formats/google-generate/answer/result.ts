import { GatewayError } from '../../../core/error.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import { openaiUsage } from '../../../core/model/openai-usage.ts';
import type { Call } from '../../../core/provider.ts';
import { textOf } from '../../shared/json.ts';
import { reasoningFields } from '../../shared/reasoning.ts';
import { annotationsOf } from './annotations.ts';
import { type AudioFormat, audioOf, isAudio } from './audio.ts';
import { CallIds } from './call-ids.ts';
import { candidateExtras, logprobsOf } from './extras.ts';
import { finishReason, finishWord } from './finish.ts';
import { traitsOf } from '../model.ts';
import { parsedAnswer } from './parse.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { geminiUsage } from './usage.ts';

/** What an answer's conversion needs of its call. */
export type AnswerCall = Pick<Call, 'model' | 'strict' | 'showsReasoning' | 'id' | 'createdAt'> & {
  readonly audioFormat?: AudioFormat | undefined;
};

/** Between the thought and the answer of models that don't flag thoughts. */
export const thoughtSeparator = '\r\n\r\n';

/**
 * A whole answer of `generateContent` as a chat completion.
 *
 * @throws GatewayError `upstream_invalid` where the text is no JSON object
 */
export function fromGenerateContent(text: string, call: AnswerCall, parsed: unknown = parsedAnswer(text)): Plain {
  const answer = objectIn(parsed);
  const ids = new CallIds(call.id);
  const candidates = Array.isArray(answer['candidates']) ? answer['candidates'].filter(isPlain) : [];
  const usage = geminiUsage(answer['usageMetadata']);
  const feedback = answer['promptFeedback'];
  const choices = candidates.map((candidate, at) => choiceOf(candidate, at, { call, ids }));
  return {
    id: textOf(answer['responseId']) ?? `chatcmpl-${call.id}`,
    object: 'chat.completion',
    created: call.createdAt,
    model: textOf(answer['modelVersion']) ?? call.model,
    choices: choices.length > 0 ? choices : [emptyChoice(feedback, call.strict)],
    ...(usage === undefined ? {} : { usage: openaiUsage(usage) }),
    ...(call.strict || !isPlain(feedback) ? {} : { promptFeedback: feedback }),
  };
}

function objectIn(value: unknown): Plain {
  if (isPlain(value)) return value;
  throw new GatewayError('upstream_invalid', { message: 'The response of the provider is not a JSON object.', source: 'provider' });
}

interface Making {
  readonly call: AnswerCall;
  readonly ids: CallIds;
}

function choiceOf(candidate: Plain, at: number, making: Making): Plain {
  const { strict } = making.call;
  const index = typeof candidate['index'] === 'number' ? candidate['index'] : at;
  const pieces = joinedThoughts(piecesOf(candidate), making.call);
  const word = finishWord(candidate['finishReason']);
  const calls = pieces.filter((piece) => piece.kind === 'call');
  return {
    index,
    message: messageOf(candidate, pieces, index, making),
    logprobs: logprobsOf(candidate) ?? null,
    finish_reason: finishReason(word, calls.length > 0),
    ...(strict ? {} : { ...candidateExtras(candidate), ...(word === undefined ? {} : { native_finish_reason: word }) }),
  };
}

/** A blocked prompt, or an answer without any candidate: one choice that says nothing. */
function emptyChoice(feedback: unknown, strict: boolean): Plain {
  const word = isPlain(feedback) ? textOf(feedback['blockReason']) : undefined;
  return {
    index: 0,
    message: { role: 'assistant', content: '', refusal: null },
    logprobs: null,
    finish_reason: word === undefined ? 'stop' : 'content_filter',
    ...(strict || word === undefined ? {} : { native_finish_reason: word }),
  };
}

/** Oldest thinking models answer in two text parts: the thought, then the answer. */
function joinedThoughts(pieces: readonly Piece[], { model, strict }: AnswerCall): readonly Piece[] {
  if (!traitsOf(model).twoPart || pieces.some((piece) => piece.kind === 'thinking')) return pieces;
  const texts = pieces.filter((piece) => piece.kind === 'text');
  if (texts.length < 2) return pieces;
  const last = texts.at(-1);
  const rest = pieces.filter((piece) => piece.kind !== 'text');
  const text = strict ? (last?.text ?? '') : texts.map((piece) => piece.text).join(thoughtSeparator);
  return [{ kind: 'text', text, signature: last?.signature }, ...rest];
}

function messageOf(candidate: Plain, pieces: readonly Piece[], index: number, { call, ids }: Making): Plain {
  const texts = pieces.map((piece) => (piece.kind === 'text' ? piece.text : undefined));
  const text = texts.join('');
  const toolCalls = pieces
    .filter((piece) => piece.kind === 'call')
    .map((piece, at) => toolCall(piece, ids.next(piece.id, index, at), call.strict));
  const audio = audioOf(pieces.filter(isSound), call);
  const message: Record<string, unknown> = {
    role: 'assistant',
    content: text === '' && (toolCalls.length > 0 || audio !== undefined) ? null : text,
    refusal: null,
    ...reasoningFields(call, () => pieces.map((piece) => (piece.kind === 'thinking' ? piece.text : ''))),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(audio === undefined ? {} : { audio }),
  };
  if (call.strict) return message;
  const annotations = annotationsOf(candidate['groundingMetadata'], texts);
  const blocks = blocksOf(joinedTexts(pieces), toolCalls);
  if (annotations.length > 0) message['annotations'] = annotations;
  if (blocks.length > 0) message['content_blocks'] = blocks;
  if (blocks.some((block) => block['type'] === 'image_url')) message['content'] = blocks.filter(isContent).map(withoutSignature);
  return message;
}

/** The signature stands in the function and, as the service's own OpenAI endpoint has it, in `extra_content`. */
function toolCall(piece: Extract<Piece, { kind: 'call' }>, id: string, strict: boolean): Plain {
  const fn = { name: piece.name, arguments: piece.arguments };
  if (strict || piece.signature === undefined) return { id, type: 'function', function: fn };
  const signature = { thought_signature: piece.signature };
  return { id, type: 'function', function: { ...fn, ...signature }, extra_content: { google: signature } };
}

const isSound = (piece: Piece): piece is Extract<Piece, { kind: 'media' }> => piece.kind === 'media' && isAudio(piece.mimeType);

/** Unsigned texts of one kind that follow each other are one, as in a stream; a signed one is never joined with another. */
function joinedTexts(pieces: readonly Piece[]): readonly Piece[] {
  const out: Piece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    if (isPlainText(piece) && piece.text === '') continue;
    if (isPlainText(piece) && isPlainText(last) && piece.kind === last.kind)
      out[out.length - 1] = { ...last, text: last.text + piece.text };
    else out.push(piece);
  }
  return out;
}

const isPlainText = (piece: Piece | undefined): piece is Extract<Piece, { kind: 'text' | 'thinking' }> =>
  (piece?.kind === 'text' || piece?.kind === 'thinking') && piece.signature === undefined;

/** All pieces but the calls, which have a list of their own; calls before other pieces stay, since they mark the order. */
function blocksOf(pieces: readonly Piece[], calls: readonly Plain[]): readonly Plain[] {
  const last = pieces.findLastIndex((piece) => blockOf(piece).length > 0);
  let call = 0;
  return pieces.slice(0, last + 1).flatMap((piece) => {
    if (piece.kind !== 'call') return blockOf(piece);
    const id = calls[call]?.['id'];
    call += 1;
    return [{ type: 'tool_use', id, name: piece.name, input: parsedAnswer(piece.arguments) }];
  });
}

function blockOf(piece: Piece): Plain[] {
  if (piece.kind === 'call' || (piece.kind === 'media' && isAudio(piece.mimeType))) return [];
  if (piece.kind === 'native') return [piece.native];
  const signature = piece.signature === undefined ? {} : { signature: piece.signature };
  if (piece.kind === 'thinking') return [{ type: 'thinking', thinking: piece.text, ...signature }];
  if (piece.kind === 'text') return [{ type: 'text', text: piece.text, ...signature }];
  return [{ ...mediaBlock(piece.mimeType, piece.base64), ...signature }];
}

/** A file as a content part: images as `image_url`, everything else as `file`. */
function mediaBlock(mimeType: string, base64: string): Plain {
  const uri = `data:${mimeType};base64,${base64}`;
  return mimeType.startsWith('image/') ? { type: 'image_url', image_url: { url: uri } } : { type: 'file', file: { file_data: uri } };
}

/** Parts that `content` may hold when it is a list (design: image output). */
const isContent = (block: Plain): boolean => block['type'] === 'image_url' || (block['type'] === 'text' && block['text'] !== '');

function withoutSignature({ signature: _signature, ...block }: Plain): Plain {
  return block;
}
