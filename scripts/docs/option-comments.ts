/** Reads options from the comments on their types: one source for editors and for docs/config.md. */
import { readFileSync } from "node:fs";
import ts from "typescript";

export interface Option {
  /** As the source has it, without `readonly` and `undefined`. */
  readonly type: string;
  /** From `@default`; "required" for a field that must be there. */
  readonly default: string;
  /** From `@example`: one expression. */
  readonly example: string;
  readonly does: string;
}
export type Options = Readonly<Record<string, Option>>;

/** @param file path from the root of the repository */
export function optionsOf(file: string, name: string): Options {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = source.statements.find((part) => ts.isInterfaceDeclaration(part) && part.name.text === name);
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`${file} has no interface ${name}`);
  return Object.fromEntries(
    found.members.filter(ts.isPropertySignature).map((member) => [member.name.getText(source), read(member, source)]),
  );
}

function read(member: ts.PropertySignature, source: ts.SourceFile): Option {
  const tag = (name: string) => {
    const found = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === name);
    return plain(ts.getTextOfJSDocComment(found?.comment));
  };
  const comment = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc)?.comment;
  const written = plain(member.type?.getText(source));
  return {
    type: written.replace(/\breadonly /g, "").replace(/ \| undefined\b/g, ""),
    default: member.questionToken ? tag("default") : "required",
    example: tag("example"),
    does: plain(ts.getTextOfJSDocComment(comment)),
  };
}

const plain = (text: string | undefined): string => (text ?? "").replace(/\s+/g, " ").trim();
