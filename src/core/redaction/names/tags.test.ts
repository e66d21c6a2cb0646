import { describe, expect, it } from 'vitest';
import { masked } from '../../../../test/support/redaction.ts';

/** Values that are masked are between ‹ and ›. */
const tagged: readonly string[] = [
  '<api_key>‹s3cr3t-abc›</api_key>',
  '<pass>‹hunter2›</pass>',
  '<password>‹letmein›</password>',
  '<login><user>jo</user><password> ‹hunter2›\n</password></login>',
  '<wsse:Password Type="https://x.example/#PasswordText">‹hunter2›</wsse:Password>',
  '<clientSecret>‹p<![CDATA[›</clientSecret>'.replace('‹p<![CDATA[›', '<![CDATA[‹p&ss<w>rd›]]>'),
  '<Password>‹hunter2›</Password><Password>‹hunter3›</Password>',
  '<a>x</a><access-token\n  id="1">‹abc›</access-token >',
  '<string name="api_key">‹s3cr3t›</string><string name="title">s3cr3t</string>',
  '<key>API_KEY</key>\n\t<string>‹s3cr3t›</string>\n<key>Region</key><string>s3cr3t</string>',
  '<property><name>fs.s3a.secret.key</name><value>‹s3cr3t›</value></property>',
  '<entry key="db.password">‹s3cr3t›</entry>',
  '<invoke name="call"><parameter name="password">‹s3cr3t›</parameter></invoke>',
  '<db user="jo" password="‹hunter2›"/>',
  "<db password='‹pass-word›'>",
];

const clean: readonly string[] = [
  '<secret>the treasure is under the tree</secret>',
  '<password></password>',
  '<password>${env.PASSWORD}</password>',
  '<password>{{ password }}</password>',
  '<password>%PASSWORD%</password>',
  '<password>***</password>',
  '<password>…</password> <api_key>...</api_key>',
  '<password><min>8</min></password>',
  '<password>hunter2</passwords>',
  '<pass>true</pass><pass>12</pass>',
  '<privateKey>/etc/x.pem</privateKey><privateKey>C:\\keys\\x.pem</privateKey>',
  '<user>hunter2</password>',
  'hunter2</password>',
  '<password>hunter2',
  '<description>s3cr3t</description>',
  '<tokens>12345</tokens>',
  '<string name="title">s3cr3t</string>',
  '<name>region</name><value>s3cr3t</value>',
  '<value>s3cr3t</value><name>password</name>',
  '<div class="password">s3cr3t</div>',
  '<label for="password">s3cr3t</label>',
  '<input type="password" name="password" id="password">',
  '<Field password="true" secret="required" cookie="{x1}" api_key="${KEY}"/>',
  '<p>password</p><p>hunter2</p>',
  'if (a < b) password="abc12"',
];

const marked = /‹([^›]*)›/g;

describe('XML elements and attributes whose name is that of a secret', () => {
  it.each(tagged)('have their text masked: %s', (text) => {
    const expected = text.replaceAll(marked, '[secret]');
    const plain = text.replaceAll(marked, '$1');
    expect(JSON.parse(masked({ text: plain }).text)).toEqual({ text: expected });
    expect(JSON.parse(masked({ text: expected }).text)).toEqual({ text: expected });
    const nested = (inner: string): object => ({ text: JSON.stringify({ text: inner }) });
    expect(JSON.parse(masked(nested(plain)).text)).toEqual(nested(expected));
    // Some programs write < and > as escapes.
    const escaped = JSON.stringify({ text: plain }).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
    expect(JSON.parse(masked(escaped).text)).toEqual({ text: expected });
  });

  it.each(clean)('are not found in %s', (text) => {
    expect(JSON.parse(masked({ text }).text)).toEqual({ text });
  });

  it.each([
    '</password>',
    '<password>',
    '<password a="',
    '</',
    '<password><![CDATA[',
    '<value>a</value>',
    '<key>password</key>',
    '<p password="',
  ])('are found in linear time in a text of 1 MB that repeats %j', (unit) => {
    const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
    expect(masked({ text }, {}, 1 << 30).text.length).toBeGreaterThan(1 << 17);
  });
});
