import { recordings } from '../contract/recordings.ts';

const services = [
  'openai',
  'azure-openai',
  'groq',
  'mistral',
  'deepseek',
  'openrouter',
  'xai',
  'huggingface',
  'cerebras',
  'databricks',
  'workers-ai',
];
/** Some services return an error object with status 200: the tap detects it. */
const isError = (body: string): boolean => /^\s*\{\s*"error"/.test(body);

export const recordedApis: ReadonlySet<string> = new Set(['chat.completions', 'messages', 'generateContent', 'streamGenerateContent']);

/** The recorded responses that are converted for clients of other formats. */
export const successful = recordings([...services, 'anthropic', 'gemini-api', 'vertex-gemini']).filter(
  ({ api, response }) => recordedApis.has(api) && response.status === 200 && response.body !== undefined && !isError(response.body),
);

/** Chunk sizes of a stream: they split characters, line ends, names and numbers. */
export const pieceSizes = [Number.POSITIVE_INFINITY, 7, 1021] as const;

/** True if the service reported an error within the stream. */
export const breaksOff = (stream: string): boolean => /^data: *\{(?:"error":|.*"error":\{"code")/m.test(stream);
