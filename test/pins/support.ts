/** The public names and the types that their declarations mention, as the compiler sees them. */
import { resolve } from "node:path";
import ts from "typescript";

export const root = resolve(import.meta.dirname, "../..");

export interface PublicNames {
  /** Names per source of an entry. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** `Type (mentioned by Name)`: types of src that a public declaration mentions and that no entry exports. */
  readonly unnamed: readonly string[];
}

export function publicNames(entries: readonly string[]): PublicNames {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    entries.map((entry) => resolve(root, entry)),
    options,
  );
  const checker = program.getTypeChecker();
  const original = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exportsOf = (entry: string): readonly ts.Symbol[] => {
    const file = program.getSourceFile(resolve(root, entry));
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${entry} is no module`);
    return checker.getExportsOfModule(module);
  };
  const names = new Map(entries.map((entry) => [entry, exportsOf(entry).map(({ name }) => name)]));
  const exported = new Set(entries.flatMap((entry) => exportsOf(entry).map(original)));
  const unnamed = [...exported].flatMap((symbol) =>
    typesIn(symbol)
      .map((name) => checker.getSymbolAtLocation(name))
      .filter((type) => type !== undefined)
      .map(original)
      .filter((type) => isShared(type) && !exported.has(type))
      .map((type) => `${type.name} (mentioned by ${symbol.name})`),
  );
  return { names, unnamed: [...new Set(unnamed)] };
}

/** Names of types in the declarations of a symbol; the inside of functions is nobody's business. */
function typesIn(symbol: ts.Symbol): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) found.push(node.typeName);
    if (ts.isExpressionWithTypeArguments(node)) found.push(node.expression);
    if (!isBody(node)) ts.forEachChild(node, visit);
  };
  for (const declaration of symbol.declarations ?? []) visit(declaration);
  return found;
}

const isBody = (node: ts.Node): boolean =>
  ts.isBlock(node) || (ts.isExpression(node) && !ts.isArrowFunction(node) && !ts.isExpressionWithTypeArguments(node));

/** A type of src that other files may use; one that is private to its file is part of what it is written in. */
const isShared = (type: ts.Symbol): boolean =>
  (type.declarations ?? []).some(
    (declaration) =>
      declaration.getSourceFile().fileName.startsWith(`${root}/src/`) &&
      (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0,
  );
