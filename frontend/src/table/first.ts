/** Who was first at a foundation, and with which card, as the server's fact names them; null where it is no such fact. */
export function whoWasFirst(fact: string): { seat: number; card: string } | null {
  const found = /\bseat (\d+) was first with ([A-Z0-9]{2}\.\d+)/.exec(fact);
  return found ? { seat: Number(found[1]), card: found[2] ?? "" } : null;
}
