/** What was seen with and without the proxy, side by side. */

/** The check of a scenario: its name to what came of it. */
export type Seen = Readonly<Record<string, string>>;

export interface Row {
  readonly by: "conformance" | "inspector";
  readonly server: string;
  readonly scenario: string;
  /** Host side to server side. */
  readonly path: string;
  readonly direct: string;
  readonly proxied: string;
  /** `declared`: it differs, and docs/transparency.md says why. */
  readonly result: "same" | "declared" | "DIFFERENT";
  readonly why?: string;
  /** Where it differs: with and without. */
  readonly differences?: readonly string[];
}

const IN_JSON =
  "A stdio server has no streams to close and resume: where it says nothing before its answer, that is plain JSON.";

interface Declared {
  readonly check: string;
  readonly path: RegExp;
  /** What may be seen through the proxy. */
  readonly becomes: RegExp;
  readonly why: string;
}

/** What the proxy does otherwise on purpose. */
const DECLARED: readonly Declared[] = [
  {
    check: "localhost-host-rebinding-rejected",
    path: /^http to/,
    becomes: /^SUCCESS$/,
    why: "The proxy turns foreign Host and Origin headers away itself, in front of servers that do not.",
  },
  ...["stream-closed", "server-sse-priming-event", "server-sse-retry-field", "server-sse-disconnect-resume"].map(
    (check) => ({ check, path: /^http to stdio$/, becomes: /^absent$/, why: IN_JSON }),
  ),
  ...["server-sse-streams-functional", "server-sse-content-type"].map((check) => ({
    check,
    path: /^http to stdio$/,
    becomes: /^INFO$/,
    why: IN_JSON,
  })),
  {
    check: "mark of the proxy",
    path: /./,
    becomes: /^failed$/,
    why: "A tool error keeps its words, and gets one line: an error does not show whether the action took effect.",
  },
];

const differing = (direct: Seen, proxied: Seen): string[] =>
  [...new Set([...Object.keys(direct), ...Object.keys(proxied)])].filter((check) => direct[check] !== proxied[check]);

const declaredFor = (path: string, check: string, seen = "absent"): Declared | undefined =>
  DECLARED.find((one) => one.check === check && one.path.test(path) && one.becomes.test(seen));

export function rowOf(
  place: Pick<Row, "by" | "server" | "scenario" | "path">,
  direct: Seen,
  proxied: Seen,
  brief: (seen: Seen) => string,
): Row {
  const checks = differing(direct, proxied);
  const declared = checks.map((check) => declaredFor(place.path, check, proxied[check]));
  const known = declared.flatMap((one) => (one ? [one.why] : []));
  const result = checks.length === 0 ? "same" : known.length === checks.length ? "declared" : "DIFFERENT";
  return {
    ...place,
    direct: brief(direct),
    proxied: brief(proxied),
    result,
    ...(result === "declared" && { why: [...new Set(known)].join(" ") }),
    ...(checks.length > 0 && {
      differences: checks.map((check) => `${check}: ${direct[check] ?? "absent"} -> ${proxied[check] ?? "absent"}`),
    }),
  };
}
