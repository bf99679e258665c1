import { writeFile } from "node:fs/promises";
import type { Invocation } from "../invocation.ts";
import { toJson } from "../terminal.ts";

const FORMATS = ["jsonl", "csv", "openai_ft", "openai_evals"] as const;

/** `spanward datasets download`: as lines that `datasets upload` reads, or in a format of others. */
export async function downloadDataset(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const { api, datasets } = await invocation.connect();
	const format = invocation.choice("format", FORMATS) ?? "jsonl";
	const output = invocation.value("output");
	const id = await datasets.idOf(invocation.argument(0));
	const text = format === "jsonl" ? await ownLines() : await ofServer(format);
	if (output === undefined && terminal.height === undefined) await terminal.write(text);
	else if (output === undefined) for (const line of terminal.lines(text.trimEnd())) await terminal.print(line);
	else await writeFile(output, text, { flag: "wx" });
	if (output !== undefined) terminal.note(`Wrote ${output}.`);
	return undefined;

	async function ownLines(): Promise<string> {
		const splits = invocation.values("split");
		const examples = await datasets.examples(id, splits.length > 0 ? { splits: [...splits] } : {});
		return examples
			.map(({ id: exampleId, input, output: expected, metadata, splits: of }) =>
				toJson({ id: exampleId, input, output: expected, metadata, ...(of.length > 0 && { splits: of }) }),
			)
			.map((line) => `${line}\n`)
			.join("");
	}

	async function ofServer(path: Exclude<(typeof FORMATS)[number], "jsonl">): Promise<string> {
		const below = path === "csv" ? "csv" : `jsonl/${path}`;
		return await (await api.fetch(`/v1/datasets/${encodeURIComponent(id)}/${below}`)).text();
	}
}
