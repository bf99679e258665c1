import type { ScannedPage } from "#storage/traces/lists/positions.ts";
import type { Keyset, Order } from "#storage/traces/trace-store.ts";

/** By how much the highest row number may have grown since it was asked for, for a list to begin above it. */
const GROWTH = 20_000;

interface ListByNumber<Row> {
	readonly order: Order;
	/** Strictly after this position. */
	readonly after: Keyset | undefined;
	/** Whether reading the page twice may take long. */
	readonly isSlow: boolean;
	/** The highest row number that was found before. */
	readonly known: number | undefined;
	readonly find: () => Promise<number>;
	/** The page, where no row has a higher number than `to`; the last `above` numbers may be those of none. */
	readonly upTo: (to: number, above: number) => Promise<ScannedPage<Row>>;
}

/** A page of a list by row number. It waits for the highest number only where that matters. */
export async function pageByNumber<Row>(list: ListByNumber<Row>): Promise<ScannedPage<Row>> {
	const { order, after, isSlow, known, find, upTo } = list;
	// Nothing above the position is wanted.
	if (order === "desc" && after !== undefined) return await upTo(after.id, 0);
	if (known === undefined || isSlow) return await upTo(await find(), 0);
	if (order === "asc") {
		// A page that is full ends below it, whatever has come since.
		const page = await upTo(known, 0);
		return page.following === undefined ? await upTo(await find(), 0) : page;
	}
	// Most of the time little has come, and one statement does not wait for the other.
	const [page, found] = await Promise.all([upTo(known + GROWTH, GROWTH), find()]);
	return found <= known + GROWTH ? page : await upTo(found, 0);
}
