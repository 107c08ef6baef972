/** What `begin` and `swap` share on their way to a script and back. */
import type { Change } from "../../../src/entries/store.ts";
import type { Answer } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { notReplicated } from "./failures.ts";
import type { GroupState } from "./groups.ts";

/** Whether it was made under the last loss that the marks tell of. The scripts compare the marks. */
export const isUnder = ({ marks }: GroupState, change: Change | undefined): boolean =>
  (change?.lossAt ?? 0) === marks.loss;
/** `called + within` on the server's clock. */
const deadline = ({ clock }: GroupState, called: number, within: number): number =>
  clock.at(called) + Math.floor(within);

/**
 * Sends once more when the server says "late" about a request that was in time: then its clock has jumped. Nothing was
 * written by the first.
 */
export async function inTime(
  state: GroupState,
  called: number,
  within: number,
  send: (notAfter: () => number) => Promise<Answer>,
): Promise<Answer> {
  let sent = 0;
  const notAfter = () => {
    sent = deadline(state, called, within);
    return sent;
  };
  const answer = await send(notAfter);
  const hasJumped = answer.kind === "late" && answer.time > sent && performance.now() - called < within;
  return hasJumped ? send(notAfter) : answer;
}

/** With `durability: "replica"`: what this connection wrote last is on a replica, too. */
export async function replicated({ settings, call }: Connection): Promise<void> {
  if (settings.durability !== "replica") return;
  const wait = Math.max(1, Math.floor(settings.commandTimeout * 0.8));
  const count = await call("possible", (client) => client.wait(1, wait));
  if (count === 0) throw notReplicated(wait);
}
