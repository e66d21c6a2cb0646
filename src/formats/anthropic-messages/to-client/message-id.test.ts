import { expect, it } from 'vitest';
import { ConverseReader } from '../../bedrock-converse/response/reader.ts';
import { fromConverse } from '../../bedrock-converse/response/whole.ts';
import { MessageEvents } from './events.ts';
import { wholeMessage } from './index.ts';

const call = { id: 'r1', createdAt: 1, model: 'm', strict: false, showsReasoning: true, notes: undefined };

it.each([
  ['chatcmpl-r1', 'msg_r1'],
  ['', 'msg_r1'],
  ['chatcmpl-service', 'chatcmpl-service'],
])('a streamed message of a response with the id "%s" has the id %s', (id, written) => {
  const [start] = new MessageEvents(call).push({ type: 'start', id, model: 'm', created: 1 });
  expect(start).toMatchObject({ type: 'message_start', message: { id: written } });
});

it('a message of Converse has the same id whole and streamed', () => {
  const events = new MessageEvents(call);
  const [start] = new ConverseReader(call).event('messageStart', { role: 'assistant' }).flatMap((event) => events.push(event));
  const answer = { output: { message: { role: 'assistant', content: [{ text: 'x' }] } }, stopReason: 'end_turn' };
  const whole = wholeMessage(fromConverse(JSON.stringify(answer), call), call);
  expect(start).toMatchObject({ message: { id: whole['id'] } });
});
