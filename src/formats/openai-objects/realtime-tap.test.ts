import { describe, expect, it } from 'vitest';
import { realtimeUsage as first } from '../../../test/support/realtime.ts';
import { RealtimeTap } from './realtime-tap.ts';

const created = { type: 'session.created', session: { type: 'realtime', object: 'realtime.session', model: 'gpt-realtime-2025-08-28' } };
const sessionCreated = (session: object) => ({ type: 'session.created', session });
const responseDone = (usage: unknown, status = 'completed') => ({
  type: 'response.done',
  event_id: 'event_1',
  response: { status, output: [], usage },
});
const transcriptionCompleted = (usage: unknown) => ({
  type: 'conversation.item.input_audio_transcription.completed',
  transcript: 'Hi.',
  usage,
});

const second = {
  total_tokens: 30,
  input_tokens: 20,
  output_tokens: 10,
  input_token_details: { audio_tokens: 5, image_tokens: 4 },
  output_token_details: {},
};

/** Each event, and the expected state after all of them. */
const sessions: readonly (readonly [name: string, events: readonly unknown[], expected: object])[] = [
  ['before a response', [created], { model: 'gpt-realtime-2025-08-28', usage: undefined }],
  [
    'one response',
    [created, responseDone(first)],
    {
      usage: { prompt: 132, completion: 121, cached: 64, audioIn: 13, audioOut: 91, details: { cached_audio: 10 } },
    },
  ],
  [
    'two responses, which are added up',
    [created, responseDone(first), responseDone(second, 'incomplete')],
    {
      usage: { prompt: 152, completion: 131, cached: 64, audioIn: 18, audioOut: 91, details: { cached_audio: 10, image_in: 4 } },
    },
  ],
  [
    'a cancelled response without usage',
    [responseDone(second), responseDone(null, 'cancelled'), responseDone(undefined, 'failed')],
    { usage: { prompt: 20 } },
  ],
  ['a cancelled response with usage', [responseDone(second), responseDone(second, 'cancelled')], { usage: { prompt: 40 } }],
  ['a complete response without usage', [responseDone(second), responseDone(undefined)], { usage: undefined }],
  ['an event that is too long to read', [responseDone(second), undefined], { usage: undefined }],
  [
    'a response in another format',
    [responseDone(second), { type: 'response.done', response: 'x' }, responseDone(second)],
    { usage: { prompt: 40 } },
  ],
  [
    'transcripts in addition to responses',
    [created, transcriptionCompleted({ type: 'duration', seconds: 3 }), responseDone(second)],
    { model: 'gpt-realtime-2025-08-28', usage: { prompt: 20, details: { image_in: 4, transcripts: 1 } } },
  ],
  [
    'transcripts alone, in a session for responses',
    [created, transcriptionCompleted(undefined)],
    { usage: { prompt: 0, details: { transcripts: 1 } } },
  ],
  [
    'a session that only transcribes',
    [
      sessionCreated({ type: 'transcription', audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } }),
      transcriptionCompleted({ type: 'tokens', input_tokens: 9, output_tokens: 3, input_token_details: { audio_tokens: 9 } }),
      transcriptionCompleted({ type: 'tokens', input_tokens: 1, output_tokens: 1 }),
    ],
    { model: 'gpt-4o-transcribe', usage: { prompt: 10, completion: 4, audioIn: 9 } },
  ],
  [
    'the same with usage in seconds',
    [
      {
        type: 'transcription_session.created',
        session: { object: 'realtime.transcription_session', input_audio_transcription: { model: 'whisper-1' } },
      },
      transcriptionCompleted({ type: 'duration', seconds: 2.5 }),
      transcriptionCompleted({ type: 'duration', seconds: 1 }),
    ],
    { model: 'whisper-1', usage: { prompt: 0, completion: 0, details: { seconds: 3.5 } } },
  ],
];

describe('RealtimeTap', () => {
  it.each(sessions)('reads the usage of a session: %s', (_name, events, expected) => {
    const tap = new RealtimeTap();
    for (const event of events) {
      const data = event === undefined ? '' : JSON.stringify(event);
      if (event !== undefined) expect(tap.reads(data)).toBe(true);
      expect(tap.event({ name: '', data })).toBe('meta');
    }
    if ('usage' in expected && expected.usage === undefined) expect(tap.usage).toBeUndefined();
    else expect(tap).toMatchObject(expected);
  });

  it.each([
    ['{"type":"response.output_audio.delta","delta":"AAAA"}', false],
    ['{"event_id":"e", "type" : "response.done","response":{}}', true],
    ['{"type":"conversation.item.created","item":{"content":"{\\"type\\":\\"response.done\\"}"}}', false],
  ])('decides by the beginning of a message whether to read it: %s', (messageStart, isRead) => {
    expect(new RealtimeTap().reads(messageStart)).toBe(isRead);
  });

  it('does not count an event that only contains the type of a finished response', () => {
    const tap = new RealtimeTap();
    const data = JSON.stringify({ type: 'response.created', response: { metadata: { type: 'response.done' }, usage: first } });
    expect(tap.reads(data)).toBe(true);
    tap.event({ name: '', data });
    expect(tap.usage).toBeUndefined();
  });
});
