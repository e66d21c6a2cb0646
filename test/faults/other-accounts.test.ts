import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, type SeenRequest, sse, startUpstream } from '../support/upstream.ts';

/** Ids of stored responses, and the account that has each. */
const owners = new Map<string, string>();
const notFound = (message: string, code: string | null, param: string) => ({
  error: { message, type: 'invalid_request_error', param, code },
});

interface FollowUp {
  readonly previous_response_id?: string;
  readonly conversation?: string;
  readonly input: string;
  readonly stream?: boolean;
}

/** The error of an account that does not have what the request refers to (OpenAI API, Responses). */
function errorOf(
  account: string,
  { previous_response_id: previous, conversation, input }: FollowUp,
): readonly [number, object] | undefined {
  if (previous !== undefined && owners.get(previous) !== account)
    return [400, notFound(`Previous response with id '${previous}' not found.`, 'previous_response_not_found', 'previous_response_id')];
  if (conversation !== undefined && conversation !== `conv_${account}`)
    return [404, notFound(`Conversation with id '${conversation}' not found.`, null, 'conversation')];
  if (input.startsWith('sealed by ') && input !== `sealed by ${account}`)
    return [400, notFound('The encrypted content could not be verified.', 'invalid_encrypted_content', 'input')];
  return input === 'wrong' ? [400, notFound('Wrong.', null, 'input')] : undefined;
}

function answer(id: string) {
  const content = [{ type: 'output_text', text: 'hello', annotations: [] }];
  const output = [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }];
  return { id, object: 'response', created_at: 1, model: 'm', status: 'completed', error: null, output };
}

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  upstream = await startUpstream((response, { url, body }: SeenRequest) => {
    const account = url.split('/')[1] ?? '';
    const request = JSON.parse(body.toString()) as FollowUp;
    const error = errorOf(account, request);
    if (error !== undefined) {
      json(response, ...error);
      return;
    }
    const id = `resp_${account}_${owners.size}`;
    owners.set(id, account);
    const event = { type: 'response.completed', sequence_number: 0, response: answer(id) };
    if (request.stream === true) sse(response, [`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`]);
    else json(response, 200, answer(id));
  });
  const provider = (name: string): string => `{type: openai, api_key: "key-${name}", custom_host: "${upstream.url}/${name}/v1"}`;
  gateway = await startTestGateway(`version: 1
providers: {a: ${provider('a')}, b: ${provider('b')}, c: ${provider('c')}}
configs:
  share: {strategy: {mode: loadbalance}, targets: [a, b, c]}
  order: {strategy: {mode: fallback, on_status_codes: [503]}, targets: [a, b, c]}
  first: {strategy: {mode: loadbalance}, targets: [{provider: a, weight: 1000000000}, b, {provider: c, weight: 0}]}
`);
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'unused', maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const through = (config: string) => ({ headers: { 'x-gateway-config': config } });

describe('a request that continues what one account has', () => {
  it.each(['share', 'order'])('reaches that account through %s, whole and streamed', async (config) => {
    for (const account of ['a', 'b', 'c']) {
      owners.set(`resp_${account}`, account);
      const body = { model: 'm', input: 'hi', previous_response_id: `resp_${account}`, store: true };
      const whole = await client.responses.create(body, through(config));
      expect(owners.get(whole.id)).toBe(account);
      const events = [];
      for await (const event of await client.responses.create({ ...body, stream: true }, through(config))) events.push(event);
      expect(events).toMatchObject([
        { type: 'response.completed', response: { id: expect.stringMatching(`^resp_${account}_`) as string } },
      ]);
      const conversation = await client.responses.create({ model: 'm', input: 'hi', conversation: `conv_${account}` }, through(config));
      expect(owners.get(conversation.id)).toBe(account);
      const sealed = await client.responses.create({ model: 'm', input: `sealed by ${account}` }, through(config));
      expect(owners.get(sealed.id)).toBe(account);
    }
  });

  it('gets the error of the last account if none has it, and the record names the attempts', async () => {
    const asked = upstream.requests.length;
    const error = await client.responses
      .create({ model: 'm', input: 'hi', previous_response_id: 'resp_no' }, through('share'))
      .catch(String);
    expect(error).toMatch(/^Error: 400 All 3 targets .* \("Previous response with id 'resp_no' not found\."\)\.$/);
    expect(upstream.requests.length - asked).toBe(3);
    const [record] = gateway.records.slice(-1);
    expect(record?.attempts.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(record?.route).toHaveLength(3);
  });

  it('reaches no target without weight, and no other target after any other error', async () => {
    owners.set('resp_c', 'c');
    const asked = upstream.requests.length;
    await expect(client.responses.create({ model: 'm', input: 'hi', previous_response_id: 'resp_c' }, through('first'))).rejects.toThrow(
      "'resp_c' not found",
    );
    await expect(client.responses.create({ model: 'm', input: 'wrong' }, through('first'))).rejects.toThrow('400 Wrong.');
    expect(upstream.requests.slice(asked).map(({ url }) => url.split('/')[1])).toEqual(['a', 'b', 'a']);
  });
});
