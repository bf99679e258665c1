import { basename, extname } from "node:path";
import { Readable } from "node:stream";
import type { Dataset, NewExample, Spanward } from "@spanward/client";
import { CommandFailure, EXIT, usageFailure } from "../failure.ts";
import { readGiven } from "../given-file.ts";
import type { Invocation } from "../invocation.ts";
import { membersOf, readJsonLines } from "../ndjson.ts";
import { counted } from "../quantities.ts";

/** `spanward datasets upload`: a new dataset, or more or other examples of one, from JSON lines or CSV. */
export async function uploadDataset(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const [name, path] = [invocation.argument(0), invocation.argument(1)];
	if (invocation.has("append") && invocation.has("replace"))
		throw usageFailure("--append adds, --replace takes the place of what is there: leave one out.");
	const action = invocation.has("append") ? "append" : invocation.has("replace") ? "update" : "create";
	const spanward = await invocation.connect();
	const contents = await readGiven(invocation.io, path);
	const isCsv = extname(path).toLowerCase() === ".csv" || invocation.values("input").length > 0;
	const dataset = isCsv
		? await uploadCsv(invocation, spanward, { name, action, path, contents })
		: await uploadLines(spanward, { name, action, contents }, invocation.value("description"));
	if (terminal.isJson) await terminal.printJson(dataset);
	else terminal.note(`Dataset ${terminal.oneLine(dataset.name)} has ${counted(dataset.example_count, "example")}.`);
	return undefined;
}

interface Upload {
	readonly name: string;
	readonly action: "create" | "append" | "update";
	readonly contents: Uint8Array<ArrayBuffer>;
}

async function uploadLines(
	{ datasets }: Spanward,
	{ name, action, contents }: Upload,
	description: string | undefined,
): Promise<Dataset> {
	const examples: NewExample[] = [];
	for await (const { number, value, error } of readJsonLines(Readable.from([contents]))) {
		const example = toExample(value);
		if (example === undefined)
			throw usageFailure(`Line ${number} ${error ?? 'is no example: {"input": {…}, "output": {…}}.'}`);
		examples.push(example);
	}
	if (examples.length === 0)
		throw new CommandFailure(EXIT.condition, "There is no example in it: nothing was uploaded.");
	if (action === "append") return await datasets.append(name, examples);
	const described = description === undefined ? {} : { description };
	if (action === "update") return await datasets.replace(name, examples, described);
	return await datasets.create({ name, examples, ...described });
}

function toExample(value: unknown): NewExample | undefined {
	const { input, output, metadata, splits, id, span_id: spanId } = membersOf(value) ?? {};
	const [given, expected, about] = [input, output, metadata].map(membersOf);
	if (given === undefined) return undefined;
	const names = Array.isArray(splits) ? splits.map(String) : typeof splits === "string" ? splits : undefined;
	return {
		input: given,
		...(expected !== undefined && { output: expected }),
		...(about !== undefined && { metadata: about }),
		...(names !== undefined && { splits: names }),
		...(typeof id === "string" && { id }),
		...(typeof spanId === "string" && { spanId }),
	};
}

async function uploadCsv(
	invocation: Invocation,
	{ api, datasets }: Spanward,
	{ name, action, path, contents }: Upload & { readonly path: string },
): Promise<Dataset> {
	const form = new FormData();
	const description = invocation.value("description");
	for (const [field, value] of Object.entries({ name, action, ...(description !== undefined && { description }) }))
		form.append(field, value);
	for (const option of ["input", "output", "metadata"])
		for (const column of invocation.values(option)) form.append(`${option}_keys[]`, column);
	if (invocation.values("input").length === 0)
		throw usageFailure("--input is missing: the columns of the CSV file that are the input.");
	form.append("file", new Blob([contents], { type: "text/csv" }), basename(path));
	const response = await api.fetch("/v1/datasets/upload?sync=true", { method: "POST", body: form });
	const { data }: { data: { dataset_id: string } } = await response.json();
	return await datasets.get(data.dataset_id);
}
