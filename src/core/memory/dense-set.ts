/** A member of a dense set. It can be in one set at a time. */
export interface DenseSetMember {
  /** Index of the member in its set; undefined while it is in none. Written only by the set. */
  index: number | undefined;
}

/**
 * The objects in progress, added and removed with every request. Not a `Set`, which is rehashed again and again under
 * such use. Each discarded table refers to the next one, so once a table is in the old generation, all later tables and
 * members are promoted with it.
 */
export class DenseSet<Member extends DenseSetMember> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    if (member.index !== undefined) return;
    member.index = this.#members.length;
    this.#members.push(member);
  }

  /** Does nothing if the object is not a member. */
  delete(member: DenseSetMember): void {
    const { index } = member;
    if (index === undefined) return;
    member.index = undefined;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    this.#members[index] = last;
    last.index = index;
  }

  /** Visits every member, in no defined order; members may be added and removed meanwhile. */
  each(visit: (member: Member) => void): void {
    // From the end, because a removal moves the last member, which was already visited, into the gap.
    for (let at = this.#members.length - 1; at >= 0; at -= 1) {
      const member = this.#members[at];
      if (member !== undefined) visit(member);
    }
  }
}
