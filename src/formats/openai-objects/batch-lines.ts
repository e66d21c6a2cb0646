import type { LineEdit } from '../../core/http/form.ts';
import { noLimits } from '../../core/json/limits.ts';
import { type Member, scanObject, parseJson } from '../../core/json/scan.ts';
import { bareModel } from '../../core/model/model-name.ts';

/** The names that the lines of a batch must use at one provider. */
export interface BatchNames {
  /** Dated API versions use paths without `/v1`, such as `/chat/completions`. */
  readonly isDated: boolean;
  /** Returns the deployment of an alias; undefined for any other name. */
  deployment(alias: string): string | undefined;
}

/** Rewrites the lines of a batch for the service. Only the parts that differ are replaced; other lines are passed unchanged. */
export function batchLine(names: BatchNames): LineEdit {
  return (line, index) => {
    // Azure OpenAI rejects a byte-order mark, and JSON text has none.
    const text = index === 0 && line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    try {
      return editLine(text, names);
    } catch {
      // Not JSON: the service reports it, with the line number.
      return text;
    }
  };
}

const convertSlug = batchLine({ isDated: false, deployment: () => undefined });

/** Removes the gateway's slug from the model of a line, as for every other request. Lines without a slug keep their bytes. */
export const withoutSlug: LineEdit = (line, index) => (line.includes('"@') ? convertSlug(line, index) : line);

function editLine(line: string, names: BatchNames): string {
  if (!line.includes('"custom_id"')) return line;
  const members = scanObject(line, noLimits);
  const url = members.find(({ key }) => key === 'url');
  const body = members.find(({ key }) => key === 'body');
  if (url === undefined || body === undefined) return line;
  const splices = [urlSplice(line, url, names), modelSplice(line, body, names)];
  let out = line;
  // Starts at the end, so that earlier offsets stay valid.
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
  const model = scanObject(text, noLimits).find(({ key }) => key === 'model');
  if (model === undefined) return undefined;
  const requested: unknown = parseJson(text.slice(model.start, model.end));
  if (typeof requested !== 'string') return undefined;
  const bare = bareModel(requested);
  const wanted = names.deployment(bare) ?? bare;
  return wanted === requested || wanted === '' ? undefined : { start: body.start + model.start, end: body.start + model.end, text: wanted };
}
