import type { BeginRequest, Group, SwapRequest } from "../../../../src/entries/store.ts";

export const group: Group = { tag: "aaaaaaaaaa", tenant: "tenant", server: "billing", tool: "create_invoice" };
export const idOf = (name: string | number): string => `${group.tag}_${String(name).padStart(26, "0")}`;

let tokens = 0;
const token = (): string => {
  tokens += 1;
  return `${process.pid}-${tokens}`;
};

export const intent = (name: string | number, changes: Partial<BeginRequest> = {}): BeginRequest => ({
  ...{ group, id: idOf(name), digest: "digest", token: token(), body: "begun" },
  ...{ holds: [], blockedBy: [], acks: [], due: { after: 30_000 }, within: 30_000, maxAge: 1_000_000 },
  ...changes,
});

export const settle = (name: string | number, changes: Partial<SwapRequest> = {}): SwapRequest => ({
  ...{ group, id: idOf(name), expect: 1, token: token(), body: "settled" },
  ...{ due: null, attention: false, within: 30_000 },
  ...changes,
});
