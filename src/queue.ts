/** The manual queue: what automation could not settle waits for a person, who decides with a reason, on the record. */
import type { Instant } from "./core/terms.ts";
import type { Parts } from "./guard-parts.ts";
import type { Operation } from "./operation.ts";
import type { BulkDryRun, BulkPreview, BulkReport, BulkResolution, Queue, QueueDetail } from "./queue-api.ts";
import { resolveMany } from "./queue-bulk.ts";
import { correctOne, noSuchOperation, resolveOne } from "./queue-decide.ts";
import { detailOf } from "./queue-detail.ts";
import { listItems } from "./queue-list.ts";
import { readJournal, statsOf } from "./queue-reports.ts";
import { watchQueue } from "./queue-watch.ts";

/** @param onUse runs at each look into the queue: what dead processes left gets there only by recovery */
export function queue(parts: Parts, onUse: () => void = () => {}): Queue {
  async function load(id: string): Promise<{ operation: Operation; now: Instant }> {
    onUse();
    await parts.runtime.ready();
    const { operation, now } = await parts.ledger.load(id).catch((error: unknown) => {
      // Claims of references lie under ids of their own, and are no operations.
      if (error instanceof SyntaxError) throw noSuchOperation(id);
      throw error;
    });
    if (operation) return { operation, now };
    throw noSuchOperation(id);
  }

  async function show(id: string): Promise<QueueDetail> {
    const { operation, now } = await load(id);
    return detailOf(parts, operation, now);
  }

  function resolveAll(request: BulkDryRun): Promise<BulkPreview>;
  function resolveAll(request: BulkResolution): Promise<BulkReport>;
  function resolveAll(request: BulkDryRun | BulkResolution): Promise<BulkPreview | BulkReport> {
    onUse();
    return resolveMany(parts, request);
  }

  return {
    show,
    resolveAll,
    async list(filter = {}) {
      onUse();
      return listItems(parts, filter);
    },
    async resolve(id, resolution) {
      const { operation } = await load(id);
      await resolveOne(parts, operation, resolution);
      return show(id);
    },
    async correct(id, correction) {
      const { operation } = await load(id);
      await correctOne(parts, operation, correction);
      return show(id);
    },
    async stats() {
      onUse();
      return statsOf(parts);
    },
    async journal(filter = {}) {
      return readJournal(parts, filter);
    },
    watch(options = {}) {
      onUse();
      return watchQueue(parts, options);
    },
  };
}
