/** A destination that does its work, or not, and whose replies get lost. */

export interface Fault {
  readonly name: string;
  /** What happens to the n-th request, from 1. */
  readonly request: (n: number) => "answered" | "reply lost" | "request lost";
  /** Two callers want the same operation at the same time. */
  readonly atOnce?: boolean;
}

export const FAULTS: readonly Fault[] = [
  { name: "the first reply is lost", request: (n) => (n === 1 ? "reply lost" : "answered") },
  { name: "every reply is lost", request: () => "reply lost" },
  { name: "the first request is lost", request: (n) => (n === 1 ? "request lost" : "answered") },
  { name: "two callers at once", request: () => "answered", atOnce: true },
  {
    name: "two callers at once, the first reply is lost",
    request: (n) => (n === 1 ? "reply lost" : "answered"),
    atOnce: true,
  },
];

export interface Destination {
  /** @throws when no reply comes */
  send(): Promise<{ ok: boolean; id: string }>;
  effects(): number;
}

export function destination(fault: Fault): Destination {
  let requests = 0;
  let effects = 0;
  return {
    async send() {
      requests += 1;
      const end = fault.request(requests);
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (end !== "request lost") effects += 1;
      if (end !== "answered") throw new Error("socket hang up");
      return { ok: true, id: `made-${effects}` };
    },
    effects: () => effects,
  };
}
