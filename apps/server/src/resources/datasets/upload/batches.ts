import { assertRowCount, type UploadedRow, uploadTooLarge } from "./uploaded-rows.ts";

/**
 * The most rows per transaction; between transactions the write lock is free for spans. Larger batches cost several
 * times their size in memory, as they outlive the young generation of V8's heap.
 */
export const BATCH_ROWS = 500;
const BATCH_BYTES = 128 * 1_024;

/**
 * Groups the rows of an upload, in their order, into batches for one transaction each.
 * @throws UserError 413 when the examples are together larger than `maxBytes`: short cells may have long names
 */
export async function* inBatches(
	rows: AsyncIterable<UploadedRow> | Iterable<UploadedRow>,
	maxBytes: number,
): AsyncGenerator<UploadedRow[]> {
	let total = 0;
	let batch: UploadedRow[] = [];
	let bytes = 0;
	let count = 0;
	for await (const row of rows) {
		count += 1;
		assertRowCount(count);
		batch.push(row);
		const { input, output, metadata } = row.content;
		const length = input.length + output.length + metadata.length;
		// The names of splits can be a thousand times as long as the content.
		bytes += (row.splits ?? []).reduce((sum, name) => sum + name.length, length);
		total += length;
		if (total > maxBytes) throw uploadTooLarge();
		if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
		yield batch;
		batch = [];
		bytes = 0;
	}
	if (batch.length > 0) yield batch;
}
