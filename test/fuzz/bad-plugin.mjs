/** An external plugin that misbehaves as the header `x-bad: <moment>:<how>` specifies. */

const forever = new Promise(() => {});

const ways = {
  throw: () => {
    throw new Error('thrown by the plugin');
  },
  'throw-nothing': () => {
    throw undefined;
  },
  reject: () => Promise.reject(new Error('rejected by the plugin')),
  garbage: () => 42,
  object: () => ({ answer: { status: 'x', headers: 7 }, refuse: 1, first: 7, caller: 7, do: 'nothing' }),
  // An error object whose getters throw.
  hostile: () => {
    throw new Proxy(new Error('hostile'), {
      get: () => {
        throw new Error('not even this');
      },
    });
  },
  status: () => ({ answer: { status: 77, headers: [], body: Buffer.from('{}'), flow: undefined } }),
  header: () => ({ answer: { status: 200, headers: ['x-broken', 'a\r\nb: c'], body: Buffer.from('{}'), flow: undefined } }),
  stray: () => {
    void Promise.reject(new Error('stray rejection'));
  },
  timer: () => {
    setTimeout(() => {
      throw new Error('thrown in a timer');
    }, 1);
    return forever;
  },
};

function act(moment, headers) {
  const [wanted, how] = (headers ?? '').split(':');
  return wanted === moment ? ways[how]() : undefined;
}

const of = (moment) => (ctx) => act(moment, ctx.headers.get('x-bad'));

export default {
  name: 'bad',
  options: { type: 'object' },
  setup: () => ({
    admit: of('admit'),
    plan: of('plan'),
    skip: of('skip'),
    screen: of('screen'),
    prepare: of('prepare'),
    send: of('send'),
    judge: of('judge'),
    reply: of('reply'),
    finish: of('finish'),
    settle: of('settle'),
    record: (record) => act('record', record.request.headers['x-bad']),
  }),
};
