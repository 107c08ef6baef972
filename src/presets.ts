/** A contract by the name of a provider: the documented terms are filled in, the review stays the operator's. */
import { z } from "zod";
import { type ContractInput, contractSchema } from "./core/contract.ts";
import { PRESET_NAMES, PRESETS, type Preset, type PresetName } from "./core/contract-presets.ts";

type Terms = Omit<ContractInput, "review" | "scope">;
type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface PresetContractInput extends Optional<Terms> {
  /** The provider, by its name in docs/presets.md. */
  readonly preset: PresetName;
  /** Whose keys they are. @default the sign-in of the server; what lies behind is taken to be outside */
  readonly scope?: ContractInput["scope"] | undefined;
  /** Who read the provider's page and the tool's, and when. `source` defaults to the provider's page. */
  readonly review: Omit<ContractInput["review"], "source"> & { readonly source?: string | undefined };
}

const { shape } = contractSchema;
const terms = {
  dedupes: shape.dedupes.optional(),
  key: shape.key,
  keyFormat: shape.keyFormat,
  window: shape.window.optional(),
  margin: shape.margin.unwrap().optional(),
  concurrent: shape.concurrent.optional(),
  mismatch: shape.mismatch.optional(),
  replaysErrors: shape.replaysErrors.optional(),
  rejectionAuthoritative: shape.rejectionAuthoritative.unwrap().optional(),
  scope: shape.scope.optional(),
  pin: shape.pin,
};

/** Terms without a preset are meant as a contract of one's own. */
export const NO_PRESET = "names no preset";

export const presetContractSchema = z
  .strictObject({
    preset: z.enum(PRESET_NAMES, {
      error: ({ input }) => (input === undefined ? NO_PRESET : `one of ${PRESET_NAMES.join(", ")}`),
    }),
    ...terms,
    review: shape.review.extend({ source: shape.review.shape.source.optional() }),
  })
  .transform((input, context): z.output<typeof contractSchema> => {
    const { preset: name, review, ...own } = input;
    const preset: Preset = PRESETS[name];
    if (own.window === undefined && preset.window === undefined) {
      const message = `${preset.provider} names no time for all its APIs: set window to what your endpoint documents`;
      context.addIssue({ code: "custom", path: ["window"], message, input });
      return z.NEVER;
    }
    const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    const parsed = contractSchema.safeParse({
      ...documented(preset),
      ...given,
      review: { source: preset.source, ...review },
    });
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message, input });
    return z.NEVER;
  });

const documented = ({ key, window, concurrent, mismatch, replaysErrors, uuid4 }: Preset) => ({
  dedupes: "key",
  key,
  ...(uuid4 && { keyFormat: "uuid4" }),
  ...(window !== undefined && { window }),
  concurrent,
  mismatch,
  replaysErrors,
  scope: { caller: "the sign-in of the server", downstream: "excluded" },
});
