import { type FilterTarget, parseFilter } from "@spanward/filter-language";
import { expect, it } from "vitest";
import { openForReading } from "#storage/sqlite/connection.ts";
import { projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testSpan } from "#storage/traces/test-spans.ts";
import { openTestStore } from "../test-store.ts";
import { narrow } from "./narrow.ts";

const BLOCKS = 330;

it("narrows by texts, ids and annotations that every match needs, and by nothing else", async () => {
	await using store = await openTestStore();
	const project = await projectId(store);
	// Each write makes a block of its own.
	for (let number = 1; number <= BLOCKS; number += 1)
		await store.writer.write(
			[
				testSpan({
					trace: number,
					span: number,
					attributes: { animal: number === 7 ? "Zebra fish" : "Sea horse", size: number },
				}),
			],
			[],
		);
	const db = openForReading(store.storage.writerOptions.path, 1);
	const narrowed = (target: FilterTarget, filter: string) => {
		const { condition } = parseFilter(target, filter);
		return condition === undefined ? {} : narrow(db, project, target, [condition]);
	};
	const rows = (target: FilterTarget, filter: string) => narrowed(target, filter).rows?.length;

	expect(rows("span", "attributes['animal'] == 'Zebra fish'")).toBe(1);
	expect(rows("span", "'zeb' in attributes['animal'] and latency_ms > 0")).toBe(1);
	expect(rows("trace", "any(x.attributes['animal'] == 'Zebra fish' for x in spans)")).toBe(1);
	expect(rows("span", "annotations['nobody'].score > 0")).toBe(0);
	expect(rows("trace", "any(a.name == 'nobody' for a in span_annotations)")).toBe(0);
	expect(rows("span", `trace_id in ['${"7".padStart(32, "0")}', 'x']`)).toBe(1);
	for (const filter of [
		"attributes['animal'] != 'Zebra fish'",
		"not ('zeb' in attributes['animal'])",
		"'ze' in attributes['animal']",
		"attributes['animal'] == 'Zebra fish' or latency_ms > 0",
		"'777' in attributes['size']",
		"attributes['llm.provider'] == 'openai'",
		"'role' in input.value",
	])
		expect(narrowed("span", filter), filter).toEqual({});

	// There are too many blocks for a list of their spans, so each span's block is checked.
	const common = narrowed("span", "'horse' in attributes['animal']");
	expect(common.rows).toBeUndefined();
	const blockOf = (span: number) =>
		Number(
			db.prepare("select block_id from spans where span_id = unhex(?)").get(span.toString(16).padStart(16, "0"))?.[
				"block_id"
			],
		);
	expect([6, 7, 8].map((span) => common.blocks?.has(blockOf(span)))).toEqual([true, false, true]);
	const { condition } = parseFilter("span", "'horse' in attributes['animal']");
	const page = await store.traces.listSpans({
		projectId: project,
		sort: "id",
		order: "asc",
		limit: 1_000,
		...(condition === undefined ? {} : { condition }),
	});
	expect(page.items).toHaveLength(BLOCKS - 1);
	db.close();
});
