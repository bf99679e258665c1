import type { Invocation } from "../invocation.ts";
import { formatTime } from "../quantities.ts";
import { formatFields, formatTable } from "../table.ts";
import { toJson } from "../terminal.ts";

const SHOWN = 10;

/** `spanward datasets show`: the dataset, and its first examples. */
export async function showDataset(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const { datasets } = await invocation.connect();
	const dataset = await datasets.get(invocation.argument(0));
	if (terminal.isJson) {
		await terminal.printJson(dataset);
		return undefined;
	}
	const fields = formatFields(terminal, [
		["name", dataset.name],
		["description", dataset.description],
		["examples", dataset.example_count],
		["created", formatTime(dataset.created_at)],
		["changed", formatTime(dataset.updated_at)],
		["id", dataset.id],
	]);
	for (const line of fields) await terminal.print(line);
	const examples = (await datasets.examples(dataset.id)).slice(0, SHOWN);
	if (examples.length === 0) return undefined;
	const table = formatTable(
		terminal,
		[
			{ title: "EXAMPLE", value: ({ id }) => id, isText: true },
			{ title: "INPUT", value: ({ input }) => toJson(input).slice(0, 500), isText: true, rank: 1 },
			{ title: "OUTPUT", value: ({ output }) => toJson(output).slice(0, 500), isText: true, rank: 2 },
			{ title: "SPLITS", value: ({ splits }) => splits.join(", "), isText: true, rank: 3 },
		],
		examples,
	);
	for (const line of ["", ...table]) await terminal.print(line);
	if (dataset.example_count > examples.length)
		terminal.note(`Of ${dataset.example_count}: spanward datasets download writes all.`);
	return undefined;
}
