/** Addresses of the page's own places. */

export const itemPath = (id: string): string => `/items/${encodeURIComponent(id)}`;

/** Where to go after the sign-in: a place of this page, never another site. */
export function placeOf(wanted: string | undefined): string {
  if (!wanted?.startsWith("/") || wanted.startsWith("//")) return "/";
  const base = "http://page.invalid";
  if (!URL.canParse(wanted, base)) return "/";
  const url = new URL(wanted, base);
  // What is left of "/.//other.site" is the address of another site.
  const isOurs = url.origin === base && !url.pathname.startsWith("//");
  return isOurs && url.pathname !== "/sign-in" ? url.pathname + url.search : "/";
}
