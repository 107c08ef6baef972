/** The queue by command line, on Redis: find, understand, settle (W2, C06). */
import { afterAll, vi } from "vitest";
import { queueCases } from "./support/queue-cases.ts";
import { redisPlace, stopRedis } from "./support/store.ts";

vi.setConfig({ testTimeout: 120_000 });
afterAll(stopRedis);
queueCases(redisPlace);
