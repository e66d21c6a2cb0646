import { isIP } from 'node:net';
import { unbracket } from '../../../core/http/listen-address.ts';
import { child, keyLocation, type Node, textOf } from '../../read/node.ts';
import type { ProblemReporter } from '../../report/problem.ts';
import { type CheckContext, textsOf } from '../context.ts';
import { checkWrittenPassword, passwordEscapes } from '../address-password.ts';

/** Checks hosts, address ranges and listeners of `server`. */
export function checkHosts(context: CheckContext): void {
  const egress = child(child(context.root, 'server'), 'egress');
  for (const { node, text } of ['allow', 'no_proxy'].flatMap((key) => textsOf(child(egress, key)))) {
    if (isEgressEntry(text)) continue;
    context.report({
      code: 'bad-url',
      at: node.at,
      message: `"${text}" is neither a host nor an address range`,
      hint: 'write api.example.com, "*.example.com" or 10.0.0.0/8',
    });
  }
  checkProxy(child(egress, 'proxy'), context.report);
  checkListeners(context);
}

function checkProxy(node: Node | undefined, report: ProblemReporter): void {
  const text = textOf(node);
  if (node === undefined || text === undefined || text === '') return;
  if (isProxyAddress(text)) {
    checkWrittenPassword(node, 'proxy', report);
    return;
  }
  const hint = `write http://user:password@host:port, and ${passwordEscapes}`;
  report({ code: 'bad-url', at: node.at, message: 'the address of the proxy is not a valid URL', hint, show: 'none' });
}

function isProxyAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return false;
  return url.pathname === '/' && url.search === '' && url.hash === '' && isDecodable(url.username) && isDecodable(url.password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Checks that a custom host is an http or https URL. The provider type may demand more. */
export function checkCustomHost(node: Node | undefined, report: ProblemReporter): void {
  const text = textOf(node);
  if (node === undefined || text === undefined || text === '') return;
  const url = URL.parse(text);
  const isUsable = url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
  if (isUsable && (url.username !== '' || url.password !== '')) {
    report({
      code: 'bad-url',
      at: node.at,
      message: 'a custom host cannot contain a user name or password',
      hint: 'write the credential as api_key',
      show: 'none',
    });
  }
  if (isUsable) return;
  const lacksScheme = /^[\w.-]+(:\d+)?(\/|$)/.test(text);
  const shown = node.kind === 'scalar' && node.resolved ? node.text : text;
  report({
    code: 'bad-url',
    at: node.at,
    message: `"${shown}" is not an http or https URL`,
    hint: lacksScheme ? `write https://${text}` : 'write it like https://api.example.com/v1',
  });
}

function isEgressEntry(text: string): boolean {
  const slash = text.indexOf('/');
  const version = isIP(unbracket(slash < 0 ? text : text.slice(0, slash)));
  if (version === 0) return slash < 0 && /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(text);
  return slash < 0 || (/^\d{1,3}$/.test(text.slice(slash + 1)) && Number(text.slice(slash + 1)) <= (version === 4 ? 32 : 128));
}

/** Checks that ports are valid and that no two listeners use the same address. */
function checkListeners({ root, report }: CheckContext): void {
  const server = child(root, 'server');
  for (const key of ['listen', 'probe_listen']) {
    const node = child(server, key);
    const address = addressOf(node) ?? '';
    const port = isSocket(address) ? 0 : Number(/:(\d{1,5})$/.exec(address)?.[1] ?? 0);
    if (node !== undefined && port > 65535)
      report({ code: 'out-of-range', at: node.at, message: `the port is ${port}`, hint: 'use 0 to 65535' });
  }
  const listen = addressOf(child(server, 'listen'));
  if (listen === undefined || listen !== addressOf(child(server, 'probe_listen'))) return;
  if (listen.endsWith(':0') && !isSocket(listen)) return;
  const at = keyLocation(root, ['server', 'probe_listen']);
  report({
    code: 'conflict',
    at,
    message: '"listen" and "probe_listen" are the same address',
    hint: 'remove probe_listen: listen serves the probes too',
  });
}

/** Address of a listener as text; the mode of a socket is left out. */
function addressOf(node: Node | undefined): string | undefined {
  const path = textOf(child(node, 'unix'));
  return path === undefined ? textOf(node) : `unix:${path}`;
}

const isSocket = (address: string): boolean => address.startsWith('unix:');
