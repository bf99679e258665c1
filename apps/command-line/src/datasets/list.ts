import type { Dataset } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { printList } from "../listing.ts";
import { formatTime } from "../quantities.ts";
import type { Column } from "../table.ts";

const COLUMNS: readonly Column<Dataset>[] = [
	{ title: "NAME", value: ({ name }) => name, isText: true },
	{ title: "EXAMPLES", value: ({ example_count: count }) => count, isNumber: true, rank: 1 },
	{ title: "CHANGED", value: ({ updated_at: updated }) => formatTime(updated), rank: 2 },
	{ title: "DESCRIPTION", value: ({ description }) => description, isText: true, rank: 3 },
];

/** `spanward datasets list` */
export async function listDatasets(invocation: Invocation): Promise<undefined> {
	const { datasets } = await invocation.connect();
	return await printList(invocation, datasets.list(), COLUMNS, "There is no dataset.");
}
