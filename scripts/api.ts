/**
 * The public API as text: one report per entry in etc/, made from the built declarations.
 * `tsx scripts/api.ts` writes the reports, `--check` fails when a committed one differs and shows the difference.
 */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import {
  ConsoleMessageId,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";
import { entries } from "./entries.ts";

const root = resolve(import.meta.dirname, "..");
const check = process.argv.includes("--check");
const silent = { logLevel: ExtractorLogLevel.None };

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
      // The report is about names and types. That users can name every type is for test/pins.
      messages: {
        extractorMessageReporting: { default: silent },
        tsdocMessageReporting: { default: silent },
      },
    },
  });
}

/** Of the tool's own talk only the difference is worth reading; errors of types pass through. */
function quiet(message: ExtractorMessage): void {
  if (message.category === "console" && message.messageId !== ConsoleMessageId.ApiReportDiff) message.handled = true;
}

mkdirSync(`${root}/etc`, { recursive: true });
for (const name of Object.keys(entries)) {
  const result = Extractor.invoke(configFor(name), {
    localBuild: !check,
    printApiReportDiff: check,
    messageCallback: quiet,
  });
  if (result.apiReportChanged) console.log(check ? `etc/${name}.api.md differs` : `wrote etc/${name}.api.md`);
  if (!result.succeeded) process.exitCode = 1;
}
if (process.exitCode)
  console.error("The public API differs from etc/. If that is meant: npm run api, and commit etc/.");
