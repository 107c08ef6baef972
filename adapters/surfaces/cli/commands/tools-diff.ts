import { type CommonOptions, type Define, optionsOf, screenOf, withCommon, withGuard } from "../cli.ts";
import { EXIT } from "../exit.ts";
import { accountJson, connected, printDrift, reachable } from "../reviewing.ts";
import { visible, wrapped } from "../text.ts";

const EXAMPLES = `
Examples:
  indoubt tools diff
  indoubt tools diff billing.acme --json      for CI: ends with 8 when something departs from the review

Connects to the servers and compares what they list with indoubt.lock.json.
Marked with !: it puts the tool's contract and read declaration out of force.
Marked with -: it is only told.`;

export const defineToolsDiff: Define = (parent, exitWith) => {
  const command = parent
    .command("diff")
    .description("what the servers list now, against what was reviewed")
    .argument("[servers...]", "default: all of the configuration");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async (servers: string[]) => {
    const screen = screenOf(optionsOf<CommonOptions>(command));
    await withGuard(
      optionsOf<CommonOptions>(command),
      screen,
      async (setup) => {
        const accounts = [];
        for (const server of reachable(setup, servers)) {
          accounts.push(await connected(setup, server, () => setup.guard.catalogue.show(server)));
        }
        if (screen.json) screen.printJson({ servers: accounts.map(accountJson) });
        for (const account of screen.json ? [] : accounts) {
          for (const note of account.notes)
            for (const line of wrapped(note, screen.measure, "! ", "  ")) screen.print(line);
          if (!account.reviewed) screen.print(`${visible(account.server)}: never reviewed. Run: indoubt tools review`);
          else if (account.drift.length === 0) screen.print(`${visible(account.server)}: as reviewed`);
          printDrift(screen, account);
        }
        const departs = accounts.some(
          ({ reviewed, notes, drift }) => !reviewed || notes.some(isDeparture) || drift.some(({ counts }) => counts),
        );
        if (departs) exitWith(EXIT.problems);
      },
      { mustExist: false },
    );
  });
};

/** A remark about hints is no departure from the review. */
const isDeparture = (note: string): boolean => note.includes("was reviewed") || note.includes("not the server");
