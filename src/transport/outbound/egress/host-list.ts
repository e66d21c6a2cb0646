import { isIP } from 'node:net';
import { GatewayError } from '../../../core/error.ts';
import { AddressList } from './address.ts';

/** A list of hosts in a configuration: names, `*.suffix` patterns, addresses and networks. */
export class HostList {
  readonly #hosts = new Set<string>();
  readonly #suffixes: string[] = [];
  readonly #addresses = new AddressList();

  /**
   * Names are compared case-insensitively. An entry contains exactly what it names.
   * @throws GatewayError `invalid_config` for an entry that is neither a host, `*.suffix`, an address nor a network
   */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const text = entry.toLowerCase();
      if (this.#addresses.add(text)) continue;
      if (!/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(text)) throw unreadable(entry);
      if (text.startsWith('*.')) this.#suffixes.push(text.slice(1));
      else this.#hosts.add(text);
    }
  }

  /** True if the name, or the address literal without brackets, is listed as it is or below a `*.suffix`. */
  has(host: string): boolean {
    const name = host.toLowerCase();
    return (
      this.#hosts.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix)) || (isIP(name) !== 0 && this.#addresses.has(name))
    );
  }

  /** True if the address is listed or lies in a listed network. */
  hasAddress(address: string): boolean {
    return this.#addresses.has(address);
  }
}

function unreadable(entry: string): GatewayError {
  return new GatewayError('invalid_config', {
    message: `"${entry.slice(0, 100)}" in server.egress is neither a host, "*.suffix", an address nor a network.`,
    hint: 'Examples: "llm.example.com", "*.corp.example.com", "10.20.0.0/16".',
  });
}
