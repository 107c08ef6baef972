/** The secret that a file belongs to. A file that is put in the place of ours must not become that of another secret. */
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";
import { otherKey } from "./failures.ts";
import { markOf, restoreSecret } from "./secret.ts";

/** What this process has bound its file to. */
export interface Binding {
  keyId?: string;
  /** The one beside the file, where that is used. */
  secret?: Uint8Array;
}

/**
 * Binds a new file like the one before, the secret beside it included: for another secret every operation has another id.
 * @returns whether something was written
 * @throws IndoubtError `STORE_INCOMPATIBLE` for a file that belongs to another secret
 */
export function bindAgain(connection: Connection, meta: Row, file: string, { keyId, secret }: Binding): boolean {
  if (keyId !== undefined && meta.keyId !== null && meta.keyId !== keyId)
    throw otherKey(file, String(meta.keyId), keyId);
  const isUnmarked = secret !== undefined && meta.secretMark === null;
  if (isUnmarked) {
    restoreSecret(file, secret);
    connection.run("markSecret", { mark: markOf(secret) });
  }
  const isUnbound = keyId !== undefined && meta.keyId === null;
  if (isUnbound) connection.run("bindKey", { keyId });
  return isUnmarked || isUnbound;
}
