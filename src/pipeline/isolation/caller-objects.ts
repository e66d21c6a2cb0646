import { GatewayError } from '../../core/error.ts';
import type { FormPart } from '../../core/http/form.ts';
import { canonicalId, couldBeId, type ObjectOwners } from '../../core/objects/owners.ts';
import { referencesIn } from '../../core/objects/references.ts';

/** The objects of one caller in one provider account, stored in the table of owners. */
export class CallerObjects {
  readonly #owners: ObjectOwners;
  readonly #account: string;
  readonly #owner: string;

  constructor(owners: ObjectOwners, account: string, owner: string) {
    this.#owners = owners;
    this.#account = account;
    this.#owner = owner;
  }

  /** True if this caller created the object. */
  owns(id: string): boolean {
    return this.#owners.ownerOf(this.#account, id, this.#owner) === this.#owner;
  }

  /** @param shown the id as the caller wrote it @throws GatewayError `object_not_found` unless this caller created it */
  requireOwned(id: string, shown: string): void {
    if (!this.owns(id)) throw objectNotFound(shown);
  }

  /**
   * Checks every id in a JSON text. @throws GatewayError `object_not_found` for an object that this caller did not
   * create; `invalid_json`, `invalid_value` for a text that cannot be checked
   */
  checkJson(text: string, value: unknown): void {
    const { named, other } = referencesIn(text, value);
    for (const id of named) this.requireOwned(id, id);
    for (const id of other) if (!this.#isAvailable(id)) throw objectNotFound(id);
  }

  /** Checks the text fields of a form, which a conversion or the service reads like members of a JSON body. */
  checkFields(parts: readonly FormPart[]): void {
    const texts = parts.flatMap(({ name, text }) => (text === undefined ? [] : [{ [memberOf(name)]: text }]));
    this.checkJson(JSON.stringify(texts), texts);
  }

  /** Stores this caller as the owner of objects without an owner. */
  bind(ids: readonly string[], isBrief: boolean): void {
    const canonical = ids.map(canonicalId).filter(couldBeId);
    if (canonical.length > 0) this.#owners.bind(this.#account, canonical, this.#owner, isBrief);
  }

  #isAvailable(id: string): boolean {
    const owner = this.#owners.ownerOf(this.#account, id, this.#owner);
    return owner === undefined || owner === this.#owner;
  }
}

/** The member that a field sets: `file_id` for `images[0][file_id]`. */
const memberOf = (name: string): string => name.split(/[[\].]/).findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? name;

/** The same error for an object of another caller and for one that does not exist. */
function objectNotFound(id: string): GatewayError {
  return new GatewayError('object_not_found', {
    message: `No such object: "${id.slice(0, 200)}".`,
    param: 'id',
    hint: 'Objects of this provider can be used only with the gateway key that made them.',
  });
}
