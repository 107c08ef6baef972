/** Style, script and icon, served from memory under names that change with their content. */
import { createHash } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { ICON, KEYS, SCRIPT, STYLE } from "./assets/assets.gen.ts";

const named = (name: string, text: string, extension: string): string =>
  `/assets/${name}-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${extension}`;

export const ASSET_PATHS = {
  style: named("page", STYLE, "css"),
  script: named("page", SCRIPT, "js"),
  keys: named("keys", KEYS, "js"),
  icon: named("icon", ICON, "svg"),
} as const;

const ASSETS: Readonly<Record<string, readonly [type: string, text: string]>> = {
  [ASSET_PATHS.style]: ["text/css; charset=utf-8", STYLE],
  [ASSET_PATHS.script]: ["text/javascript; charset=utf-8", SCRIPT],
  [ASSET_PATHS.keys]: ["text/javascript; charset=utf-8", KEYS],
  [ASSET_PATHS.icon]: ["image/svg+xml", ICON],
};

export const serveAssets: MiddlewareHandler = async (c, next) => {
  const asset = ASSETS[c.req.path];
  if (!asset) return next();
  const [type, text] = asset;
  return c.body(text, 200, { "Content-Type": type, "Cache-Control": "public, max-age=31536000, immutable" });
};
