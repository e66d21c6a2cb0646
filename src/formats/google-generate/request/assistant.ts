import { GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { assistantMembers, type AssistantPart, partsInOrder } from '../../history/assistant-parts.ts';
import { dropReasoning } from '../../shared/request/reasoning.ts';
import { callPart, type MadeCall, ownSignature } from './tools/calls.ts';
import { type GenerateConversion, type Part, signatureIn, signatureKeys, signed } from './conversion.ts';
import { nativePart, toPart } from './parts.ts';

/** Parts of one assistant message in their order, and the calls among them. */
export interface Step {
  readonly parts: readonly Part[];
  readonly calls: readonly MadeCall[];
}

const read: ReadonlySet<string> = new Set(assistantMembers);

/**
 * Converts text, files, steps of the service's own tools and calls, with their signatures. Content that only another service
 * understands is dropped and reported instead of rejected.
 */
export function assistantParts(message: JsonObject, conversion: GenerateConversion): Step {
  const { drops } = conversion;
  if (isJsonObject(message['audio'])) drops.add('messages[].audio', 'ids of another service are unknown here');
  dropReasoning(message, drops, 'thinking is not sent back to Gemini models');
  drops.addUnread(message, read, 'messages[].');
  const parts: Part[] = [];
  const calls: MadeCall[] = [];
  for (const part of partsInOrder(message)) {
    if (part.kind === 'call') {
      const made = callPart(part.call, conversion);
      parts.push(made.part);
      calls.push(made.call);
    } else parts.push(...partsOf(part, conversion));
  }
  return { parts, calls };
}

function partsOf(part: Exclude<AssistantPart, { kind: 'call' }>, conversion: GenerateConversion): readonly Part[] {
  const { drops } = conversion;
  switch (part.kind) {
    case 'text':
      return textPart(part.text, part.from, conversion);
    case 'thinking':
    case 'redacted':
      drops.add(
        `messages[].content[].${part.kind === 'thinking' ? 'thinking' : 'redacted_thinking'}`,
        'thinking is not sent back to Gemini models',
      );
      return [];
    case 'fragment':
      drops.add('messages[].content_blocks', 'the client sent an incomplete block');
      return [];
    case 'other':
      return otherPart(part.type, part.part, conversion);
    default:
      return part satisfies never;
  }
}

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'refusal', 'index', ...signatureKeys]);

function textPart(text: string, from: JsonObject, { drops }: GenerateConversion): readonly Part[] {
  drops.addUnread(from, textMembers, 'messages[].content[].');
  const signature = ownSignature(signatureIn(from), drops);
  if (signature !== undefined) return [{ text, thoughtSignature: signature }];
  return text === '' ? [] : [{ text }];
}

/** Converts files in responses, and steps of the service's own tools. */
function otherPart(type: string, part: JsonObject, conversion: GenerateConversion): readonly Part[] {
  const { drops } = conversion;
  const path = `messages[].content[].${type}`;
  const signature = signed(ownSignature(signatureIn(part), drops));
  const step = nativePart(part, type);
  if (step !== undefined) return [{ ...step, ...signature }];
  if (!files.has(type)) {
    drops.add(path);
    return [];
  }
  try {
    return toPart(storedFile(part) ?? part, conversion).map((one) => ({ ...one, ...signature }));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    drops.add(path, 'the file cannot be read by this service');
    return [];
  }
}

/** Converts a file in the service's storage to the form in which clients refer to files. */
function storedFile({ file_data: file }: JsonObject): JsonObject | undefined {
  return isJsonObject(file) ? { type: 'file', file: { file_url: file['fileUri'], mime_type: file['mimeType'] } } : undefined;
}

const files: ReadonlySet<string> = new Set([
  'file_data',
  'image_url',
  'input_audio',
  'file',
  'video_url',
  'audio_url',
  'document_url',
  'file_url',
  'input_image',
  'input_file',
]);
