/**
 * The public API as text: one report per entry in etc/, over the built declarations.
 * `tsx scripts/api.ts` writes the reports, `--check` fails when a committed one differs.
 */
import { resolve } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { entries } from "./entries.ts";

const root = resolve(import.meta.dirname, "..");
const check = process.argv.includes("--check");

function configFor(name: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${root}/package.json`,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: `${root}/dist/${name}.d.ts`,
      compiler: { tsconfigFilePath: `${root}/tsconfig.json` },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: `${root}/etc`,
        reportTempFolder: `${root}/temp`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Warning },
          "ae-missing-release-tag": { logLevel: ExtractorLogLevel.None },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
}

const changed = Object.keys(entries).filter(
  (name) => Extractor.invoke(configFor(name), { localBuild: !check }).apiReportChanged,
);

if (check && changed.length > 0) {
  console.error(
    `The public API differs from etc/: ${changed.join(", ")}. If it is meant: npm run api, and commit etc/.`,
  );
  process.exitCode = 1;
}
