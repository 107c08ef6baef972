/** Two ways in which a Redis loses acknowledged writes. */
import type { Redis } from "ioredis";

/** Everything is gone. */
export async function flush(admin: Redis): Promise<void> {
  await admin.flushall();
}

/** Every group is as it was before its first write, as on a replica that was promoted too early; the marks tell. */
export async function rollBack(admin: Redis): Promise<void> {
  for (const key of await admin.keys("in1:{*.*}:*")) {
    if (!key.endsWith(":m")) {
      if (!key.endsWith(":n")) await admin.del(key);
      continue;
    }
    const marks = ((await admin.get(key)) ?? "").split("|");
    await admin.set(key, [...marks.slice(0, 6), 0, marks[7]].join("|"));
  }
}
