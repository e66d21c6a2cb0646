const dayMs = 86_400_000;

/** The Unix day number (UTC) of a time. @param at Unix milliseconds */
export const dayOf = (at: number): number => Math.floor(at / dayMs);

/** The Unix day number of the first day of the month (UTC). @param at Unix milliseconds */
export function firstDayOfMonth(at: number): number {
  const date = new Date(at);
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
}
