import type { ProviderFault } from '../../core/error.ts';
import type { WireEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import { openaiFault } from '../openai-chat/fault.ts';
import { parseObject, textOf } from '../shared/json.ts';

interface Row {
  readonly status: number;
  readonly type: string;
  readonly isPermanent?: true;
}

/** Status and type by the lower-case name of an exception without its suffix (Bedrock Runtime API, "Common errors"). */
const rows: Readonly<Record<string, Row>> = {
  validation: { status: 400, type: 'invalid_request_error' },
  servicequotaexceeded: { status: 400, type: 'rate_limit_error', isPermanent: true },
  accessdenied: { status: 403, type: 'permission_error' },
  unrecognizedclient: { status: 403, type: 'authentication_error' },
  invalidsignature: { status: 403, type: 'authentication_error' },
  incompletesignature: { status: 403, type: 'authentication_error' },
  missingauthenticationtoken: { status: 403, type: 'authentication_error' },
  expiredtoken: { status: 403, type: 'authentication_error' },
  resourcenotfound: { status: 404, type: 'invalid_request_error' },
  modeltimeout: { status: 408, type: 'timeout_error' },
  modelerror: { status: 424, type: 'api_error' },
  modelstreamerror: { status: 424, type: 'api_error' },
  throttling: { status: 429, type: 'rate_limit_error' },
  modelnotready: { status: 429, type: 'rate_limit_error' },
  internalserver: { status: 500, type: 'api_error' },
  internalfailure: { status: 500, type: 'api_error' },
  serviceunavailable: { status: 503, type: 'api_error' },
};

/** Hints for messages whose real cause differs from what they say. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /on-demand throughput isn.t supported/i,
    'Name an inference profile in place of the model: its id with a prefix such as us., eu. or global., or an ARN.',
  ],
  [/signature expired|signature not yet current/i, "Set the time of the gateway's machine: signatures are valid for some minutes."],
  [/security token included in the request is (?:invalid|expired)/i, 'Check the access key and its session token; tokens of roles expire.'],
  [
    /signature we calculated does not match/i,
    'Check the secret access key; a proxy that changes the path or the host breaks signatures too.',
  ],
  [/model identifier is invalid/i, 'Check the id of the model and the region of the provider: not every region has every model.'],
  [
    /don.t have access to the model|access to this model/i,
    'Ask for access to the model in the Bedrock console of this account and region.',
  ],
];

/**
 * Reads an error `{message}`. The name of the exception is in a header or in `__type` of the body; otherwise it is derived from
 * the status.
 */
export function bedrockFault(status: number, body: string, headers?: Readonly<Record<string, string>>): ProviderFault {
  const object = parseObject(body);
  const message = object === undefined ? undefined : messageIn(object);
  if (object === undefined || message === undefined) return openaiFault(status, body);
  return faultOf(exceptionName(headers?.['x-amzn-errortype']) ?? nameIn(object) ?? namesByStatus[status], message);
}

/** Reads an error object under status 200; undefined if there is no message. */
export function faultIn(object: JsonObject): ProviderFault | undefined {
  const message = messageIn(object);
  if (message === undefined) return undefined;
  const name = nameIn(object);
  return { ...faultOf(name, message), status: rowOf(name)?.status };
}

/** True for an exception in a stream. It comes after status 200, with its name in the frame. */
export const isFault = ({ name }: WireEvent): boolean => /(?:Exception|Error|Fault)$/.test(name);

export function faultOfEvent({ name, data }: WireEvent): ProviderFault {
  const object = parseObject(data) ?? {};
  const original = object['originalStatusCode'];
  const status = rowOf(name)?.status ?? (typeof original === 'number' ? original : undefined);
  return { ...faultOf(name, messageIn(object) ?? textOf(object['originalMessage']) ?? `The provider sent ${name}.`), status };
}

const messageIn = (object: JsonObject): string | undefined => textOf(object['message']) ?? textOf(object['Message']);

/** Reads the name of an exception, such as `com.amazon.bedrock#ThrottlingException:http://…`, with or without prefix and suffix. */
function nameIn(object: JsonObject): string | undefined {
  return exceptionName(textOf(object['__type']) ?? textOf(object['code']) ?? textOf(object['type']));
}

const exceptionName = (text: string | undefined): string | undefined => /^(?:[^#]*#)?([A-Za-z]{1,80})(?=:|$)/.exec(text ?? '')?.[1];

const namesByStatus: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

function rowOf(name: string | undefined): Row | undefined {
  const key = (name ?? '').replace(/Exception$|Error$|Fault$/, '').toLowerCase();
  return Object.hasOwn(rows, key) ? rows[key] : undefined;
}

function faultOf(name: string | undefined, message: string): ProviderFault {
  const row = rowOf(name);
  const hint = hints.find(([pattern]) => pattern.test(message))?.[1];
  return {
    message,
    code: name === 'ResourceNotFoundException' ? 'model_not_found' : (name ?? null),
    type: row?.type ?? null,
    param: null,
    ...(hint === undefined ? {} : { hint }),
    ...(row?.isPermanent === undefined ? {} : { isPermanent: row.isPermanent }),
  };
}
