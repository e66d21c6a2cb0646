import type { LocalAnswer } from '#core/provider.ts';
import { failure, file, named, piecesOf, type Question, streamed, tokensIn, whole } from './answer.ts';
import { badValue, refusal } from './problems.ts';
import { mp3, pcm, wav } from './sounds.ts';

/** What a voice says to the mock, whatever the file holds. */
const heard = 'Hello from the mock.';

const sounds: Readonly<Record<string, { readonly type: string; readonly bytes: () => Buffer }>> = {
  mp3: { type: 'audio/mpeg', bytes: mp3 },
  wav: { type: 'audio/wav', bytes: wav },
  pcm: { type: 'audio/pcm', bytes: pcm },
};

/** `POST /audio/speech`: a short sound, whole or in events. */
export function speech(asked: Question): LocalAnswer {
  const { body, call } = asked;
  const format = typeof body['response_format'] === 'string' ? body['response_format'] : 'mp3';
  const sound = sounds[format];
  if (sound === undefined) {
    return refusal(badValue('unsupported_value', 'response_format', `The mock makes mp3, wav and pcm, not ${format}.`), call.id);
  }
  const failed = failure(asked);
  if (failed !== undefined) return failed;
  if (body['stream_format'] !== 'sse') return file(asked, sound.bytes(), sound.type);
  const bytes = sound.bytes();
  const half = Math.ceil(bytes.length / 2);
  const said = tokensIn(String(body['input'] ?? ''));
  return streamed(asked, [
    ...[bytes.subarray(0, half), bytes.subarray(half)].map((part) => named({ type: 'speech.audio.delta', audio: part.toString('base64') })),
    named({ type: 'speech.audio.done', usage: { input_tokens: said, output_tokens: 4, total_tokens: said + 4 } }),
  ]);
}

/** `POST /audio/transcriptions` and `/audio/translations`: the configured text in the form that was asked for. */
export const transcriptions = (asked: Question): LocalAnswer => transcript(asked, 'transcribe');
export const translations = (asked: Question): LocalAnswer => transcript(asked, 'translate');

function transcript(asked: Question, task: 'transcribe' | 'translate'): LocalAnswer {
  const { body, call, reply } = asked;
  if (call.form?.file === undefined) {
    return refusal(badValue('missing_required_parameter', 'file', "Missing required parameter: 'file'."), call.id);
  }
  const failed = failure(asked);
  if (failed !== undefined) return failed;
  const text = reply.text ?? heard;
  if (task === 'transcribe' && body['stream'] === true) return streamed(asked, spoken(text, asked));
  switch (body['response_format']) {
    case 'text':
      return file(asked, `${text}\n`, 'text/plain; charset=utf-8');
    case 'srt':
      return file(asked, `1\n00:00:00,000 --> 00:00:01,000\n${text}\n\n`, 'text/plain; charset=utf-8');
    case 'vtt':
      return file(asked, `WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n${text}\n\n`, 'text/plain; charset=utf-8');
    case 'verbose_json':
      return whole(asked, {
        task,
        language: 'english',
        duration: 1,
        text,
        segments: [segment(text)],
        usage: { type: 'duration', seconds: 1 },
      });
    case 'diarized_json':
      return whole(asked, { task, duration: 1, text, segments: [spokenBy(text)], usage: { type: 'duration', seconds: 1 } });
    default:
      return whole(asked, task === 'translate' ? { text } : { text, usage: usage(text) });
  }
}

const usage = (text: string) => ({ type: 'tokens', input_tokens: 10, output_tokens: tokensIn(text), total_tokens: 10 + tokensIn(text) });

const spoken = (text: string, { reply }: Question): readonly string[] => [
  ...piecesOf(text, reply).map((delta) => named({ type: 'transcript.text.delta', delta })),
  named({ type: 'transcript.text.done', text, usage: usage(text) }),
];

const segment = (text: string) => ({
  id: 0,
  seek: 0,
  start: 0,
  end: 1,
  text,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
});

const spokenBy = (text: string) => ({ type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1, text, speaker: 'A' });
