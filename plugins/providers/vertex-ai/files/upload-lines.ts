import type { LineEdit } from '#core/http/form.ts';
import { fromUnknown, GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { Dropped } from '#core/provider.ts';
import { Drops } from '#formats/shared/request/drops.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import { parseExact } from '#core/json/scan.ts';
import { withoutFullStop } from '#core/text/wording.ts';
import { parseObject } from '#formats/shared/json.ts';
import { isBatchLine, toRow } from '../batches/rows.ts';
import type { VertexSettings } from '../settings.ts';
import { isTrainingLine, toTrainingRow } from '../tuning/rows.ts';
import type { FileNotes } from './file-object.ts';

/** The purpose of a file of lines. */
type LinesPurpose = 'batch' | 'fine-tune' | 'other';

/**
 * Converts the lines of one upload: lines of OpenAI's batch and tuning formats to the service's form; all others stay unchanged.
 * The whole file must have one model and one endpoint, as a batch has.
 */
export class UploadLines {
  readonly #settings: VertexSettings;
  readonly #files: FileRules | undefined;
  readonly #drops = new Drops();
  #kind: LinesPurpose | undefined;
  #model: string | undefined;
  #endpoint: string | undefined;

  /** @param purpose the client's value so far; undefined if the lines determine it */
  constructor(settings: VertexSettings, purpose: string | undefined, files?: FileRules) {
    this.#settings = settings;
    this.#files = files;
    this.#kind = purpose === 'batch' || purpose === 'fine-tune' ? purpose : undefined;
  }

  /** The notes for the object, collected from the lines. */
  get notes(): FileNotes {
    return { purpose: this.#kind === 'other' ? undefined : this.#kind, model: this.#model, endpoint: this.#endpoint };
  }

  /** Fields that could not be converted. */
  get dropped(): readonly Dropped[] {
    return this.#drops.list;
  }

  /** Converts one line; called in order. @throws GatewayError that names the line */
  readonly edit: LineEdit = (text, index) => {
    const line = index === 0 ? text.replace(/^\uFEFF/, '') : text;
    if (line.trim() === '') return undefined;
    const object = parseObject(line);
    this.#kind ??= kindOf(object);
    if (this.#kind === 'other') return line;
    try {
      if (object === undefined) throw new GatewayError('invalid_value', { message: 'it is not a JSON object' });
      return this.#convert(object, line) ?? line;
    } catch (thrown) {
      throw withLineNumber(thrown, index + 1);
    }
  };

  #convert(object: JsonObject, text: string): string | undefined {
    if (this.#kind === 'fine-tune') {
      if (!isTrainingLine(object)) return undefined;
      const { row, dropped } = toTrainingRow(object, this.#settings, this.#files);
      return this.#recordDrops(row, dropped);
    }
    if (!isBatchLine(object)) return undefined;
    const { row, model, endpoint, dropped } = toRow(object, this.#settings, this.#files, () => parseObject(text, parseExact) ?? object);
    this.#model ??= model;
    this.#endpoint ??= endpoint;
    if (model !== this.#model) throw mixedFile('body.model', `it names the model "${model.slice(0, 100)}"`, this.#model);
    if (endpoint !== this.#endpoint) throw mixedFile('url', `its url is ${endpoint}`, this.#endpoint);
    return this.#recordDrops(row, dropped);
  }

  #recordDrops(row: JsonObject, dropped: readonly Dropped[]): string {
    for (const { param, reason } of dropped) this.#drops.add(param, reason);
    return JSON.stringify(row);
  }
}

/** The first line determines the kind of all lines if the client has not set it. */
function kindOf(first: JsonObject | undefined): LinesPurpose {
  if (first === undefined) return 'other';
  if (isJsonObject(first['body']) && (first['custom_id'] !== undefined || first['url'] !== undefined)) return 'batch';
  return isTrainingLine(first) ? 'fine-tune' : 'other';
}

const mixedFile = (param: string, what: string, first: string): GatewayError =>
  new GatewayError('invalid_value', { message: `${what}, and the lines before it "${first.slice(0, 100)}": a batch has one`, param });

/** Adds the line number to an error. */
function withLineNumber(thrown: unknown, number: number): unknown {
  const error = fromUnknown(thrown);
  if (error.code === 'internal') return thrown;
  return new GatewayError(error.code, {
    message: `Line ${number} of the file cannot be converted: ${withoutFullStop(error.message)}.`,
    param: error.param === undefined ? `file.${number}` : `file.${number}.${error.param}`,
    hint: error.hint,
  });
}
