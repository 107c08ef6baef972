/** What a model does without a success: it asks again, in the same words, under a new id. */

export const MOST_ASKS = 3;
export const SUCCESS = /inv_\d+/;

export interface Asking {
  readonly order: string;
  /** What the model read last. */
  heard?: string;
  asked: number;
}

export interface Ask {
  readonly id: string;
  readonly name: string;
  readonly arguments: { readonly customer: string; readonly order: string; readonly amount: number };
}

export const asking = (order: string): Asking => ({ order, asked: 0 });

/** The next call, or undefined: the model is content, or has given up. */
export function nextAsk(state: Asking): Ask | undefined {
  if (SUCCESS.test(state.heard ?? "") || state.asked >= MOST_ASKS) return undefined;
  state.asked += 1;
  return {
    id: `${state.order}_${state.asked}`,
    name: "create_invoice",
    arguments: { customer: "acme", order: state.order, amount: 12 },
  };
}

/** All the words in a result, whatever the framework made of it. */
export function wordsIn(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
