import type { Data } from "apache-arrow";
import { invalid } from "./uploaded-rows.ts";

type Arrow = typeof import("apache-arrow");

/** Values of which a byte tells at most: a column of truth values has 8, one of nothing but nulls takes no bytes itself. */
const VALUES_PER_BYTE = 16;
/** That may be said whatever there is, for tables without contents. */
const FREE_VALUES = 65_536;

/**
 * Reads the messages of an Arrow IPC stream without what they hold, as the library believes the lengths that they name and
 * takes as much memory.
 * @throws UserError 422 when a batch says that it holds more than its bytes can tell
 */
export async function assertLengths(arrow: Arrow, bytes: AsyncIterable<Uint8Array>): Promise<void> {
	const messages = new arrow.AsyncMessageReader(bytes);
	for await (const message of messages) {
		const { byteLength } = await messages.readMessageBody(message.bodyLength);
		if (message.isSchema()) continue;
		const batch = message.isDictionaryBatch()
			? message.header().data
			: message.isRecordBatch()
				? message.header()
				: undefined;
		if (batch === undefined) throw invalid("Invalid Arrow stream: a message has an unknown type");
		const values = batch.nodes.reduce((sum, { length }) => sum + Math.max(0, length), 0);
		// Columns that are shorter than the batch are filled up with nulls.
		const filled = Math.max(values, batch.length * batch.nodes.length, batch.length);
		if (!(batch.length >= 0) || filled > byteLength * VALUES_PER_BYTE + FREE_VALUES) throw tooLong();
	}
}

/** @throws UserError 422 when the buffers of a column hold less than its length says, or offsets lead out of them */
export function assertWhole(arrow: Arrow, data: Data): void {
	const { DataType } = arrow;
	const { type, length, children, valueOffsets, values, nullBitmap } = data;
	for (const child of children) assertWhole(arrow, child);
	if (data.nullCount > 0 && !DataType.isNull(type) && nullBitmap.byteLength * 8 < length) throw tooLong();
	if (DataType.isDictionary(type)) {
		for (const entries of data.dictionary?.data ?? []) assertWhole(arrow, entries);
		if (values.length < length) throw tooLong();
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
