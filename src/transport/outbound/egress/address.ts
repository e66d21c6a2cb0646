import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { unbracket } from '../../../core/http/listen-address.ts';

/** IPv4 networks that are not the public internet (IANA special-purpose registry), and one public address that isn't either. */
const nonPublicIPv4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // "this network"; connects to loopback on most systems
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT; holds the metadata address of one cloud
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local; holds the metadata address of most clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments; holds the metadata address of one cloud
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32], // a cloud's host agent, reachable from its machines only
];

/** IPv6 networks that are not public, although they are within global unicast (2000::/3). */
const nonPublicIPv6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23], // protocol assignments, including Teredo, which embeds an IPv4 address
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: embeds an IPv4 address
  ['3fff::', 20],
];

/** Distinguishes addresses of the public internet from all others. */
export interface AddressRules {
  /** True for an address that a host chosen by a request may have. `address` is a literal without brackets. */
  isPublic(address: string): boolean;
}

/** Compiles the tables above. Call it once. */
export function createAddressRules(): AddressRules {
  const nonPublic = new BlockList();
  for (const [network, bits] of nonPublicIPv4) nonPublic.addSubnet(network, bits, 'ipv4');
  for (const [network, bits] of nonPublicIPv6) nonPublic.addSubnet(network, bits, 'ipv6');
  const globalUnicast = new BlockList();
  globalUnicast.addSubnet('2000::', 3, 'ipv6');
  const isPublic = (address: string): boolean => {
    if (isIPv4(address)) return !nonPublic.check(address, 'ipv4');
    if (!isIPv6(address)) return false;
    const embedded = embeddedIPv4(address);
    if (embedded !== undefined) return !nonPublic.check(embedded, 'ipv4');
    return globalUnicast.check(address, 'ipv6') && !nonPublic.check(address, 'ipv6');
  };
  return { isPublic };
}

/** Entries of an allow list that are addresses: `10.1.0.0/16`, `10.1.2.3`, `fd00::/8`. */
export class AddressList {
  readonly #list = new BlockList();

  /** False when the text is not an address or a network. */
  add(entry: string): boolean {
    const slash = entry.indexOf('/');
    const network = unbracket(slash < 0 ? entry : entry.slice(0, slash));
    const family = isIP(network);
    if (family === 0) return false;
    const maxBits = family === 4 ? 32 : 128;
    const bitsText = slash < 0 ? maxBits.toString() : entry.slice(slash + 1);
    if (!/^\d{1,3}$/.test(bitsText) || Number(bitsText) > maxBits) return false;
    this.#list.addSubnet(network, Number(bitsText), family === 4 ? 'ipv4' : 'ipv6');
    return true;
  }

  /** `address` is a literal without brackets; an IPv4-mapped address is compared as its IPv4 address. */
  has(address: string): boolean {
    const embedded = isIPv6(address) ? embeddedIPv4(address) : undefined;
    if (embedded !== undefined) return this.#list.check(embedded, 'ipv4') || this.#list.check(address, 'ipv6');
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}

/** The IPv4 address inside an IPv4-mapped (RFC 4291 2.5.5.2) or NAT64 (RFC 6052) address: packets are sent to that address. */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  if (groups === undefined) return undefined;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  const isNat64 = groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  if (!isMapped && !isNat64) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** The eight groups of an IPv6 address, however it is written. A zone (`%eth0`) makes it local, so it has none. */
function groupsOf(address: string): number[] | undefined {
  if (address.includes('%')) return undefined;
  const canonical = unbracket(new URL(`http://[${address}]`).hostname);
  const [left = '', right] = canonical.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const gap = right === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16));
}
