/** What may be in such a set, in one at a time. */
export interface DenseSetMember {
  /** Written by the set alone: where the member is in it. Undefined while it is in none. */
  place: number | undefined;
}

/**
 * What is in progress right now, where members come and go with every request. Not a `Set`: one that is added to and
 * deleted from is rebuilt again and again, and each table that was left behind refers to the next one. As soon as one of
 * them has outlived the young generation, so does everything that ever was a member after it.
 */
export class DenseSet<Member extends DenseSetMember> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    if (member.place !== undefined) return;
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** Does nothing for what is not a member. */
  delete(member: DenseSetMember): void {
    const { place } = member;
    if (place === undefined) return;
    member.place = undefined;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    this.#members[place] = last;
    last.place = place;
  }

  /** Visits every member, in no order; members may come and go meanwhile. */
  each(visit: (member: Member) => void): void {
    // From the end, where nobody fills a gap who was not visited yet.
    for (let at = this.#members.length - 1; at >= 0; at -= 1) {
      const member = this.#members[at];
      if (member !== undefined) visit(member);
    }
  }
}
