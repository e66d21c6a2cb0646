import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { toSnakeCase, thinkingAgrees } from '../../../core/model/field-names.ts';
import type { SameMeaning } from '../../../core/provider.ts';
import { type GenerateConversion, hasAny, oneOf } from './conversion.ts';
import { isThirdGeneration } from '../model.ts';
import { toResponseFormat } from './response-format.ts';
import { toThinkingConfig } from './thinking.ts';

/** Maps one field of the OpenAI body to one of `generationConfig`. */
interface Row {
  /** Spellings; the first that is set is used. */
  readonly from: readonly string[];
  readonly to: string;
  /** Returns the value to send; undefined to send none. */
  readonly value?: (value: unknown, body: JsonObject, conversion: GenerateConversion) => unknown;
  /** Returns the reason why a model does not support it. */
  readonly refused?: (conversion: GenerateConversion) => string | undefined;
}

const nothing: JsonObject = Object.freeze({});

const noPenalties = ({ traits }: GenerateConversion): string | undefined =>
  isThirdGeneration(traits) ? 'not supported by this model' : undefined;

/** The mapping table. A new field is a new row. */
const rows: readonly Row[] = [
  { from: ['temperature'], to: 'temperature' },
  { from: ['top_p'], to: 'topP' },
  { from: ['top_k'], to: 'topK' },
  { from: ['max_completion_tokens', 'max_tokens'], to: 'maxOutputTokens' },
  { from: ['stop'], to: 'stopSequences', value: stopList },
  { from: ['n'], to: 'candidateCount' },
  { from: ['seed'], to: 'seed' },
  { from: ['presence_penalty'], to: 'presencePenalty', refused: noPenalties },
  { from: ['frequency_penalty'], to: 'frequencyPenalty', refused: noPenalties },
  { from: ['logprobs'], to: 'responseLogprobs', value: (value) => (value === true ? true : undefined) },
  { from: ['top_logprobs'], to: 'logprobs', value: (value, body) => (body['logprobs'] === true && value !== 0 ? value : undefined) },
  { from: ['modalities'], to: 'responseModalities', value: upperCased },
  { from: ['image_config', 'imageConfig'], to: 'imageConfig', value: camelKeys },
  { from: ['audio'], to: 'speechConfig', value: speech },
  { from: ['speech_config', 'speechConfig'], to: 'speechConfig' },
  { from: ['media_resolution', 'mediaResolution'], to: 'mediaResolution' },
  { from: ['audio_timestamp', 'audioTimestamp'], to: 'audioTimestamp' },
];

/** Spellings of the member with parameters in the service's own form. */
const ownConfigs = ['generation_config', 'generationConfig'] as const;

/** Fields that this table reads. The rest of the body is converted elsewhere or dropped. */
export const generationFields: ReadonlySet<string> = new Set([
  ...rows.flatMap((row) => row.from),
  'response_format',
  'thinking',
  'thinking_config',
  'thinkingConfig',
  'reasoning_effort',
  'reasoning',
  ...ownConfigs,
]);

/** Places of a parameter in the service's own form. */
const ownPlaces = (name: string): string[] => ownConfigs.flatMap((config) => [`${config}.${name}`, `${config}.${toSnakeCase(name)}`]);

const targets = [...new Set(rows.map(({ to }) => to))];

/** Places in which this table reads the same parameter. */
export const equivalentGenerationPaths: readonly SameMeaning[] = [
  ...targets.map((name) => ({ places: [...rows.filter(({ to }) => to === name).flatMap(({ from }) => from), ...ownPlaces(name)] })),
  ...['responseMimeType', 'responseSchema', 'responseJsonSchema'].map((name) => ({ places: ['response_format', ...ownPlaces(name)] })),
  {
    places: ['reasoning_effort', 'reasoning.effort', 'thinking', 'thinking_config', 'thinkingConfig', ...ownPlaces('thinkingConfig')],
    agree: thinkingAgrees,
  },
];

/** Builds `generationConfig` of a chat request. Members in the service's own form (`generation_config`) take precedence. */
export function toGenerationConfig(body: JsonObject, conversion: GenerateConversion): JsonObject {
  if (conversion.details.size === 0 && !hasAny(body, generationFields)) return nothing;
  const out: Record<string, unknown> = {};
  for (const row of rows) {
    const written = oneOf(body, row.from);
    if (row.from.length > 1) reportOverruled(body, row.from, written, conversion);
    const value = written === undefined || row.value === undefined ? written : row.value(written, body, conversion);
    if (value === undefined) continue;
    const refusal = row.refused?.(conversion);
    if (refusal === undefined) out[row.to] = value;
    else if (value !== 0) conversion.drops.add(row.from[0] ?? '', refusal);
  }
  const thinkingConfig = toThinkingConfig(body, conversion);
  const resolution = conversion.details.has('high') ? 'HIGH' : conversion.details.has('low') ? 'LOW' : undefined;
  const native = oneOf(body, ownConfigs);
  return {
    ...(resolution === undefined ? {} : { mediaResolution: `MEDIA_RESOLUTION_${resolution}` }),
    ...out,
    ...toResponseFormat(body['response_format'], conversion),
    ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
    ...(isJsonObject(native) ? camelKeys(native) : {}),
  };
}

/** Reports other aliases with a different value. */
function reportOverruled(body: JsonObject, aliases: readonly string[], written: unknown, { drops }: GenerateConversion): void {
  const used = aliases.find((name) => body[name] === written);
  for (const name of aliases) {
    const value = body[name] ?? written;
    if (name !== used && JSON.stringify(value) !== JSON.stringify(written)) drops.add(name, `${used} is sent instead`);
  }
}

/** The service's limit (Gemini API, GenerationConfig). */
const maxStops = 5;

function stopList(value: unknown, _body: JsonObject, { drops }: GenerateConversion): unknown {
  const given = Array.isArray(value) ? (value as unknown[]) : [value];
  const list = given.filter((one) => typeof one === 'string' && one !== '');
  if (list.length < given.length) drops.add('stop', 'the service rejects empty stop sequences');
  else if (list.length > maxStops) drops.add('stop', `the service accepts ${maxStops} of them: the first`);
  return list.length === 0 ? undefined : list.slice(0, maxStops);
}

function upperCased(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map((one: unknown) => (typeof one === 'string' ? one.toUpperCase() : one));
}

/** Converts `{voice}` of audio output. */
function speech(value: unknown, _body: JsonObject, { drops }: GenerateConversion): unknown {
  const voice = isJsonObject(value) ? value['voice'] : undefined;
  const name = isJsonObject(voice) ? voice['id'] : voice;
  if (typeof name === 'string') return { voiceConfig: { prebuiltVoiceConfig: { voiceName: name } } };
  if (voice !== undefined && voice !== null) drops.add('audio.voice', 'not the name of a voice');
  return undefined;
}

/** The service accepts either spelling of a field, but not both. */
function camelKeys(value: unknown): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), inner]),
  );
}
