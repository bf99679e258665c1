import type { Keyset } from "#storage/traces/trace-store.ts";

interface Rounds<Place, Row> {
	/** The first places behind a position of rows that fulfil all conditions, or did before they were replaced or deleted. */
	readonly find: (after: Keyset | undefined, most: number) => Promise<readonly Place[]>;
	/** The rows at these places that still fulfil them, in the order of the list. */
	readonly read: (places: readonly Place[]) => Promise<readonly Row[]>;
	readonly keyOf: (place: Place) => Keyset;
}

/** Places beyond those that are wanted, some of which may be of rows that are gone. */
const SPARE = 16;

/**
 * The first rows of a list where they lie in no order of it, or are few of those that have to be looked at: one statement
 * reads what the conditions need and says where the first ones are, another one merges these alone. Again where too many
 * of them are gone.
 */
export async function inRounds<Place, Row>(
	limit: number,
	position: Keyset | undefined,
	{ find, read, keyOf }: Rounds<Place, Row>,
): Promise<readonly Row[]> {
	const rows: Row[] = [];
	for (let after = position; ; ) {
		const most = limit - rows.length + SPARE;
		const places = await find(after, most);
		const last = places.at(-1);
		if (last === undefined) return rows;
		rows.push(...(await read(places)));
		if (places.length < most || rows.length >= limit) return rows.slice(0, limit);
		after = keyOf(last);
	}
}
