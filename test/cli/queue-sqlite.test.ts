/** The queue by command line, on SQLite: find, understand, settle (W2, C06). */
import { vi } from "vitest";
import { queueCases } from "./support/queue-cases.ts";
import { sqlitePlace } from "./support/store.ts";

vi.setConfig({ testTimeout: 120_000 });
queueCases(async (cwd) => sqlitePlace(cwd));
