/** A real PostgreSQL for tests, of its own: in a folder of its own, on a free port, gone when the tests are. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

// Under a lock, as several test runs may start at once; without the system's own cluster.
const install = `
  set -e
  ls /usr/lib/postgresql/*/bin/postgres && exit 0
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  apt-get update
  apt-get install -y --no-install-recommends postgresql
`;

export async function startPostgres(): Promise<Postgres> {
  const bin = programs();
  const user = owner();
  const folder = mkdtempSync(join(tmpdir(), "indoubt-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { cwd: folder, ...user };
  const words = ["-D", data, "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  execFileSync(join(bin, "initdb"), words, { ...options, stdio: "pipe" });
  const port = await freePort();
  const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: folder, fsync: "off" };
  const child = spawn(
    join(bin, "postgres"),
    ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { ...options, stdio: ["ignore", "ignore", "pipe"] },
  );
  process.once("exit", () => child.kill("SIGQUIT"));
  await ready(child);
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      log = (log + text).slice(-10_000);
      if (log.includes("ready to accept connections")) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`PostgreSQL ended before it was ready:\n${log}`)));
  });
}

/** The folder of its programs; on Debian and Ubuntu it is installed when missing. */
function programs(): string {
  const found = folderOf();
  if (found !== undefined) return found;
  console.log("PostgreSQL is missing: installing it with apt-get");
  const { error, stderr } = spawnSync("flock", ["/tmp/indoubt-install-postgres.lock", "sh", "-c", install], {
    encoding: "utf8",
  });
  const installed = folderOf();
  if (installed !== undefined) return installed;
  const why = error?.message ?? stderr.trim().slice(-500);
  throw new Error(`The tests need PostgreSQL (initdb and postgres), and it could not be installed: ${why}`);
}

function folderOf(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : [];
  const onPath = (process.env.PATH ?? "").split(":");
  return [...versions, ...onPath].find((folder) => ["initdb", "postgres"].every((it) => existsSync(join(folder, it))));
}

/** PostgreSQL refuses to run as root: then the user of the package runs it. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
