import { describe, expect, it } from 'vitest';
import type { WireEvent } from '../../core/events.ts';
import type { Tap } from '../../core/tap.ts';
import { MessagesTap } from '../anthropic-messages/response/tap.ts';
import { AudioTap } from '../openai-objects/audio-tap.ts';
import { ChatTap } from '../openai-chat/tap.ts';
import { GeminiTap } from '../google-generate/response/tap.ts';
import { ImageTap } from '../openai-objects/image-tap.ts';
import { JsonTap } from './response/json-tap.ts';
import { ResponsesTap } from '../openai-responses/tap.ts';

const chat = (): Tap => new ChatTap();
const responses = (): Tap => new ResponsesTap();
const messages = (): Tap => new MessagesTap();
const gemini = (): Tap => new GeminiTap();
const audio = (): Tap => new AudioTap('json');
const image = (): Tap => new ImageTap();

const google = (status: string, extra: object = {}): string => JSON.stringify({ error: { message: 'm', status, ...extra } });
const openai = (error: object): string => JSON.stringify({ error: { message: 'm', ...error } });
const anthropic = (type: string): string => JSON.stringify({ type: 'error', error: { type, message: 'm' } });

/** Tap, event name, data, then the type and status of the expected error. */
const events: readonly (readonly [() => Tap, string, string, string | null, number | undefined])[] = [
  [chat, '', openai({ type: 'server_error' }), 'server_error', 500],
  [chat, '', openai({ type: 'overloaded_error' }), 'overloaded_error', 529],
  [chat, '', openai({ type: 'rate_limit_error' }), 'rate_limit_error', 429],
  [chat, '', openai({ type: 'tokens', code: 'rate_limit_exceeded' }), 'tokens', 429],
  [chat, '', openai({ type: 'invalid_request_error', code: 'context_length_exceeded' }), 'invalid_request_error', 400],
  [chat, '', openai({ type: 'invalid_request_error', code: 'invalid_api_key' }), 'invalid_request_error', 401],
  [chat, '', openai({ type: 'BadRequestError', code: 400 }), 'BadRequestError', 400],
  [chat, '', openai({ code: 429 }), null, 429],
  [chat, '', openai({ code: '503' }), null, 503],
  [chat, '', openai({ code: 200 }), null, undefined],
  [chat, '', openai({ type: 'new_kind' }), 'new_kind', undefined],
  [chat, 'error', '{"message":"m","type":"server_error"}', 'server_error', 500],
  [chat, '', google('RESOURCE_EXHAUSTED', { code: 429 }), 'rate_limit_error', 429],
  [chat, '', `[${google('UNAVAILABLE')}]`, 'api_error', 503],
  [responses, 'error', '{"type":"error","code":"server_is_overloaded","message":"m","param":null}', null, 503],
  [responses, 'error', '{"type":"error","code":"rate_limit_exceeded","message":"m","param":null}', null, 429],
  [
    responses,
    'response.failed',
    '{"type":"response.failed","response":{"status":"failed","error":{"code":"slow_down","message":"m"}}}',
    null,
    503,
  ],
  [
    responses,
    'response.failed',
    '{"type":"response.failed","response":{"status":"failed","error":{"code":"invalid_image_url","message":"m"}}}',
    null,
    400,
  ],
  [
    image,
    'error',
    '{"type":"error","error":{"type":"image_generation_user_error","code":"moderation_blocked","message":"m"}}',
    'image_generation_user_error',
    400,
  ],
  [messages, 'error', anthropic('overloaded_error'), 'overloaded_error', 529],
  [messages, 'error', anthropic('rate_limit_error'), 'rate_limit_error', 429],
  [messages, 'error', anthropic('api_error'), 'api_error', 500],
  [messages, 'error', anthropic('timeout_error'), 'timeout_error', 504],
  [messages, '', anthropic('invalid_request_error'), 'invalid_request_error', 400],
  [messages, 'error', anthropic('new_kind'), 'new_kind', undefined],
  [messages, '', google('RESOURCE_EXHAUSTED', { code: 429 }), 'rate_limit_error', 429],
  [messages, '', `[${google('PERMISSION_DENIED')}]`, 'permission_error', 403],
  [gemini, '', google('RESOURCE_EXHAUSTED'), 'rate_limit_error', 429],
  [gemini, '', google('UNAVAILABLE', { code: 529 }), 'api_error', 529],
  [gemini, '', `[${google('INTERNAL')}]`, 'api_error', 500],
  [gemini, '', google('NEW_KIND'), null, undefined],
  [chat, '', '{"error":"m"}', null, undefined],
  [responses, '', '{"error":"m"}', null, undefined],
  [messages, '', '{"error":"m"}', null, undefined],
  [gemini, '', '{"error":"m"}', null, undefined],
  [audio, '', '{"error":"m"}', null, undefined],
  [image, '', '{"error":"m"}', null, undefined],
  [audio, 'error', openai({ type: 'server_error' }), 'server_error', 500],
  [image, 'error', openai({ type: 'rate_limit_error' }), 'rate_limit_error', 429],
];

describe('an error as the first event of a stream', () => {
  it.each(events)('%#: keeps its type and gets its status: %o %s %s', (createTap, name, data, type, status) => {
    const tap = createTap();
    const event: WireEvent = { name, data };
    expect(tap.event(event)).toBe('fault');
    expect(tap.fault).toMatchObject({ message: 'm', type });
    expect(tap.fault?.status).toBe(status);
  });
});

it.each([
  [new ChatTap(), openai({ code: 429 }), 429],
  [new JsonTap(), openai({ type: 'server_error' }), 500],
  [new MessagesTap(), anthropic('overloaded_error'), 529],
  [new GeminiTap(), google('UNAVAILABLE'), 503],
  [new ResponsesTap(), google('RESOURCE_EXHAUSTED'), 429],
])('an error object instead of a complete response gets its status: %#', (tap, text, status) => {
  expect(tap.whole(text)?.status).toBe(status);
});

it.each([gemini, chat, messages])('the retry delay in a Google error body is read: %#', (createTap) => {
  const tap = createTap();
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' }];
  tap.event({ name: '', data: google('RESOURCE_EXHAUSTED', { code: 429, details }) });
  expect(tap.fault).toMatchObject({ status: 429, retryAfterMs: 34_075, extra: { details } });
});
