/** What goes wrong for the person at the browser: a status, and words that name the cure. */
import { HTTPException } from "hono/http-exception";
import { isIndoubtError } from "../../../src/index.ts";

export type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 422 | 429 | 500 | 503;

/** To be thrown: the answer has this status, its page these words. */
export const refuse = (status: Status, message: string): HTTPException => new HTTPException(status, { message });

export const isAway = (error: unknown): boolean => isIndoubtError(error) && error.code === "STORE_UNAVAILABLE";

export const isOutrun = (error: unknown): boolean => isIndoubtError(error) && error.code === "RESOLUTION_CONFLICT";

export const TITLES: Readonly<Record<number, string>> = {
  400: "That address cannot be read",
  401: "Please sign in",
  403: "Not allowed",
  404: "Not found",
  405: "Not that way",
  409: "Something changed meanwhile",
  413: "That is too much",
  415: "That cannot be read",
  421: "That is not this page's address",
  422: "Something is missing",
  429: "Too many attempts",
  500: "Something went wrong here",
  503: "The store is away",
};

/** A page by a cursor: one that the store does not know came from an old link, and is the asker's error. */
export async function byCursor<T>(cursor: string | undefined, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (cursor === undefined || !isIndoubtError(error) || isAway(error)) throw error;
    throw refuse(400, error.message);
  }
}

/** Status and words for an error of any kind. Words of unknown errors stay here: they may hold anything. */
export function problemOf(error: unknown): { readonly status: Status; readonly message: string } {
  if (error instanceof HTTPException) return { status: error.status as Status, message: error.message };
  if (!isIndoubtError(error))
    return {
      status: 500,
      message: "The page's own log has the details. Nothing was changed by this request as far as is known here.",
    };
  switch (error.code) {
    case "STORE_UNAVAILABLE":
      return { status: 503, message: "The store does not answer." };
    case "CONFIG_INVALID":
      return { status: 400, message: error.message };
    case "RESOLUTION_CONFLICT":
      return { status: 409, message: error.message };
    default:
      return { status: 500, message: error.message };
  }
}
