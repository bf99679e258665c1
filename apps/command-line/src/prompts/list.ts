import type { Prompt } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { printList } from "../listing.ts";
import { formatTime } from "../quantities.ts";
import type { Column } from "../table.ts";

const COLUMNS: readonly Column<Prompt>[] = [
	{ title: "NAME", value: ({ name }) => name, isText: true },
	{ title: "CHANGED", value: ({ updated_at: updated }) => formatTime(updated), rank: 1 },
	{ title: "DESCRIPTION", value: ({ description }) => description, isText: true, rank: 2 },
];

/** `spanward prompts list` */
export async function listPrompts(invocation: Invocation): Promise<undefined> {
	const { prompts } = await invocation.connect();
	return await printList(invocation, prompts.list(), COLUMNS, "There is no prompt.");
}
