import { describe, expect, it } from 'vitest';
import { makeRow } from './fixtures/rows.ts';
import { matcher } from './match.ts';
import { parseFilter } from './parse.ts';

const now = makeRow().at + 60_000;
const row = makeRow();

function matchesFilter(text: string): boolean {
  const parsed = parseFilter(text, now);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return matcher(parsed.filter)(row);
}

/** Filters that match the row in fixtures/rows.ts. */
const matchingFilters = [
  '',
  '  ',
  'status:200',
  'status:2xx',
  'status:>=200 status:<300',
  'status:=200',
  'status:404,200',
  '-status:404',
  '-status:4xx,5xx',
  'config:support',
  'CONFIG:support',
  'config:"support"',
  'provider:openai-*',
  'provider:*main',
  'provider:o*n*main',
  'model:gpt-4o*',
  '-model:claude*,gemini*',
  'virtual_key:""',
  '-virtual_key:*',
  '-virtual_key:x',
  'ttft:*',
  'latency:>1s',
  'latency:<=1940ms',
  'latency:1940',
  'overhead:>5ms overhead:<5.3ms',
  'overhead:5.2ms',
  'tokens_in:<1k',
  'tokens_in:290,5',
  'cost:>0.0001',
  'cost:$0.000102',
  'cost:0.0001020',
  'cost:*',
  'fallback:true',
  'fallback:yes',
  '-stream:true',
  'attempts:>1',
  'meta.user:u42',
  'meta.user:u*',
  'meta."my key":"a, b"',
  'meta.missing:""',
  '-meta.missing:*',
  'meta.empty:""',
  'label.team:web',
  'since:1h',
  'since:1.5m',
  'since:1763717469114',
  'until:1763717469115',
  'since:2025-11-21',
  'since:2025-11-21T09:31Z until:2025-11-21T09:32',
  'since:2025-11-21T10:31+01:00',
  'since:1d since:1h until:1s',
  'refund',
  'REFU',
  'order 42',
  '"refund for order"',
  'plait',
  'PLAÎT',
  'return,refund',
  'refund, order',
  'req_01JD3K8ZQ4M6N7P8R9S0T1V2W3',
  '4bf92f3577b34da6a3ce929d0e0e4736',
  'chatcmpl-9xAbC',
  '-voucher',
  '-"refund order"',
];

const nonMatchingFilters = [
  'status:201',
  'status:3xx',
  '-status:200',
  'status:>200',
  'status:<200',
  'config:Support',
  'config:suppor',
  '-config:*',
  'config:""',
  'provider:openai-*x',
  'provider:openai-main*n',
  'provider:*x*',
  'provider:openai*main-main',
  'provider:"openai-*"',
  'virtual_key:*',
  'virtual_key:x',
  'latency:>2s',
  'latency:1s',
  'cost:>0.000102',
  'cost:0.00010200001',
  '-cost:*',
  'fallback:false',
  'stream:true',
  'attempts:1',
  'meta.user:u4',
  'meta.User:u42',
  'meta.empty:*',
  'meta.missing:*',
  'meta.missing:u42',
  'meta.__proto__:*',
  'meta.constructor:*',
  'label.user:u42',
  'since:30s',
  'since:1763717469115',
  'until:1763717469114',
  'until:2025-11-21T09:31Z',
  'efund',
  '"order refund"',
  '"refund fo order"',
  'support',
  '-refund',
];

describe('matcher', () => {
  it.each(matchingFilters)('matches: %s', (text) => expect(matchesFilter(text)).toBe(true));
  it.each(nonMatchingFilters)('does not match: %s', (text) => expect(matchesFilter(text)).toBe(false));

  it('finds text of scripts without spaces between words', () => {
    const isMatched = (preview: string, text: string): boolean => {
      const parsed = parseFilter(text, now);
      return 'filter' in parsed && matcher(parsed.filter)(makeRow({ preview }));
    };
    expect(isMatched('我想退款，订单四十二', '退款')).toBe(true);
    expect(isMatched('我想退款，订单四十二', '款退')).toBe(false);
    expect(isMatched('ありがとう🎉 done', '🎉')).toBe(true);
    expect(isMatched('환불해 주세요', '환불')).toBe(true);
    expect(isMatched('ab', '"a b"')).toBe(false);
  });

  it('does not find a phrase across two fields', () => {
    const acrossFields = makeRow({ preview: 'the end', error: 'timeout', message: 'begins here' });
    const parsed = parseFilter('"end timeout"', now);
    expect('filter' in parsed && matcher(parsed.filter)(acrossFields)).toBe(false);
  });
});
