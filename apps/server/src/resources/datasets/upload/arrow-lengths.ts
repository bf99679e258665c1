import type { Data, DataType, Field } from "apache-arrow";
import { invalid } from "./uploaded-rows.ts";

type Arrow = typeof import("apache-arrow");

/** The most values that a byte may declare: a column of booleans has 8 per byte; one of only nulls takes no bytes. */
const VALUES_PER_BYTE = 16;
/** Values that a batch of any size may declare, for tables without contents. */
const FREE_VALUES = 65_536;

/**
 * Checks the declared lengths of an Arrow IPC stream's messages, without decoding their contents: the library trusts
 * these lengths and allocates as much memory.
 * @throws UserError 422 when a batch declares more values than its bytes can hold, or columns of another length than its
 *   own
 */
export async function assertLengths(arrow: Arrow, bytes: AsyncIterable<Uint8Array>): Promise<void> {
	const messages = new arrow.AsyncMessageReader(bytes);
	let fields: readonly Field[] = [];
	for await (const message of messages) {
		const { byteLength } = await messages.readMessageBody(message.bodyLength);
		if (message.isSchema()) {
			({ fields } = message.header());
			continue;
		}
		const batch = message.isDictionaryBatch()
			? message.header().data
			: message.isRecordBatch()
				? message.header()
				: undefined;
		if (batch === undefined) throw invalid("Invalid Arrow stream: a message has an unknown type");
		const values = batch.nodes.reduce((sum, { length }) => sum + Math.max(0, length), 0);
		// The library fills columns that are shorter than the batch up with nulls.
		const filled = Math.max(values, batch.length * batch.nodes.length, batch.length);
		if (!(batch.length >= 0) || filled > byteLength * VALUES_PER_BYTE + FREE_VALUES) throw tooLong();
		if (message.isRecordBatch() && !hasEqualColumns(arrow, fields, batch)) {
			throw invalid("Invalid Arrow stream: the columns of a batch differ in length");
		}
	}
}

interface RecordBatchHeader {
	readonly length: number;
	readonly nodes: readonly { readonly length: number }[];
}

/** Whether each column is as long as its batch. */
function hasEqualColumns(arrow: Arrow, fields: readonly Field[], { length, nodes }: RecordBatchHeader): boolean {
	let at = 0;
	for (const { type } of fields) {
		if (nodes[at]?.length !== length) return false;
		at += countNodes(arrow, type);
	}
	return true;
}

/** The lengths that a batch declares for a column: its own, and those of the columns within it. */
function countNodes(arrow: Arrow, type: DataType): number {
	// The entries of a dictionary come in a message of their own.
	if (arrow.DataType.isDictionary(type)) return 1;
	return (type.children ?? []).reduce((sum: number, child: Field) => sum + countNodes(arrow, child.type), 1);
}

/**
 * @throws UserError 422 when a column's buffers are too short for its length, or its offsets or indexes point outside of
 *   them
 */
export function assertWhole(arrow: Arrow, data: Data): void {
	const { DataType } = arrow;
	const { type, length, children, valueOffsets, values, nullBitmap } = data;
	for (const child of children) assertWhole(arrow, child);
	if (data.nullCount > 0 && !DataType.isNull(type) && nullBitmap.byteLength * 8 < length) throw tooLong();
	if (DataType.isDictionary(type)) {
		for (const entries of data.dictionary?.data ?? []) assertWhole(arrow, entries);
		if (values.length < length) throw tooLong();
		assertIndexes(data);
	} else if (DataType.isStruct(type)) {
		if (children.some((child) => child.length < length)) throw tooLong();
	} else if (DataType.isFixedSizeList(type)) {
		if ((children[0]?.length ?? 0) < length * type.listSize) throw tooLong();
	} else if (DataType.isList(type)) {
		assertOffsets(valueOffsets, length, children[0]?.length ?? 0);
	} else if (valueOffsets !== undefined && valueOffsets.length > 0) {
		assertOffsets(valueOffsets, length, values.byteLength);
	} else if (DataType.isBool(type)) {
		if (values.byteLength * 8 < length) throw tooLong();
	} else if (!DataType.isNull(type) && values.length < length * data.stride) throw tooLong();
}

/** The library reads an index outside of the dictionary as null, or as other bytes. */
function assertIndexes(data: Data): void {
	const { values, length, dictionary } = data;
	const end = dictionary?.length ?? 0;
	for (let at = 0; at < length; at += 1) {
		const index = values[at];
		// The index of a null may be any number.
		if (index >= 0 && index < end) continue;
		if (data.getValid(at)) throw invalid("Invalid Arrow stream: an index points outside of its dictionary");
	}
}

function assertOffsets(offsets: ArrayLike<number | bigint>, length: number, end: number): void {
	if (length === 0) return;
	if (offsets.length <= length) throw tooLong();
	let last: number | bigint = 0;
	for (let at = 0; at <= length; at += 1) {
		const offset = offsets[at] ?? -1;
		if (offset < last) throw tooLong();
		last = offset;
	}
	if (last > end) throw tooLong();
}

function tooLong() {
	return invalid("Invalid Arrow stream: it declares more data than it contains");
}
