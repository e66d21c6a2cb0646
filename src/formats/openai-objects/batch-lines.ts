import type { LineEdit } from '../../core/http/form.ts';
import { type Member, scanObject, parseJson } from '../../core/json/scan.ts';
import { bareModel } from '../../core/model/model-name.ts';

/** How the lines of a batch have to read at one entry. */
export interface BatchNames {
  /** Dated versions know `/chat/completions` and no `/v1` before it. */
  readonly isDated: boolean;
  /** The deployment that an alias stands for; undefined for every other name. */
  deployment(alias: string): string | undefined;
}

/** Writes the lines of a batch as the service reads them: only what differs is spliced, and other lines pass. */
export function batchLine(names: BatchNames): LineEdit {
  return (line, index) => {
    // A byte-order mark is refused by Azure OpenAI, and no JSON text has one.
    const text = index === 0 && line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    try {
      return edited(text, names);
    } catch {
      // Not JSON: the service says so, with the number of the line.
      return text;
    }
  };
}

function edited(line: string, names: BatchNames): string {
  if (!line.includes('"custom_id"')) return line;
  const members = scanObject(line);
  const url = members.find(({ key }) => key === 'url');
  const body = members.find(({ key }) => key === 'body');
  if (url === undefined || body === undefined) return line;
  const splices = [urlSplice(line, url, names), modelSplice(line, body, names)];
  let out = line;
  // From the back, so that the places in front stay where they are.
  for (const splice of splices.flatMap((one) => one ?? []).toSorted((a, b) => b.start - a.start)) {
    out = out.slice(0, splice.start) + JSON.stringify(splice.text) + out.slice(splice.end);
  }
  return out;
}

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function urlSplice(line: string, { start, end }: Member, { isDated }: BatchNames): Splice | undefined {
  if (!isDated) return undefined;
  const url: unknown = parseJson(line.slice(start, end));
  return typeof url === 'string' && url.startsWith('/v1/') ? { start, end, text: url.slice(3) } : undefined;
}

function modelSplice(line: string, body: Member, names: BatchNames): Splice | undefined {
  const text = line.slice(body.start, body.end);
  if (!text.startsWith('{')) return undefined;
  const model = scanObject(text).find(({ key }) => key === 'model');
  if (model === undefined) return undefined;
  const named: unknown = parseJson(text.slice(model.start, model.end));
  if (typeof named !== 'string') return undefined;
  const bare = bareModel(named);
  const wanted = names.deployment(bare) ?? bare;
  return wanted === named || wanted === '' ? undefined : { start: body.start + model.start, end: body.start + model.end, text: wanted };
}
