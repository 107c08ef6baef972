/** What a test tells the proxy that it starts. */
import type { HttpProxyOptions, ProxyTarget } from "../../adapters/surfaces/proxy/index.ts";
import type { GuardOptions } from "../../src/index.ts";

export const SECRET = "a secret of the proxy tests";
type Tools = NonNullable<NonNullable<NonNullable<GuardOptions["servers"]>[string]>["tools"]>;

export interface ProxySettings {
  /** A SQLite file. */
  readonly store: string;
  readonly target: ProxyTarget;
  /** Hosts speak HTTP. */
  readonly http: boolean;
  readonly options?: Partial<
    Pick<HttpProxyOptions, "deadline" | "statusTool" | "token" | "principals" | "allowedHosts">
  >;
  readonly tools?: Tools;
  readonly lease?: number;
}
