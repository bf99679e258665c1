import { expect } from "vitest";
import { openPool } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { testLog, testSpan } from "#storage/traces/test-spans.ts";
import { openTestStore } from "../test-store.ts";
import { candidateBlocks } from "./candidate-blocks.ts";
import { BlockTextFiller } from "./fill-block-text.ts";

testWithPostgres("knows which blocks may have a word, and takes those that wait for others", async () => {
	await using store = await openTestStore();
	const pool = openPool(store.settings, store.settings.primary, { name: "test", size: 1 }, () => undefined);
	try {
		const inputs = ["a xylophone", "Ünsterblich", "a green house", `${"long ".repeat(300_000)} marimba`];
		for (const [index, input] of inputs.entries())
			await store.writer.write([testSpan({ trace: index + 1, span: index + 1, input })], []);
		const count = async (...words: string[]) => (await candidateBlocks(pool, words))?.size;
		expect(await count("xylophone")).toBe(4);
		const filler = new BlockTextFiller(pool);
		expect(await filler.step()).toBe(false);
		// The long text has no trigrams of its own.
		expect(await count("xylophone")).toBe(2);
		expect(await count("ünster")).toBe(2);
		expect(await count("green", "xylophone")).toBe(1);
		expect(await count("xy")).toBeUndefined();
		await store.writer.write([], [testLog({ trace: 2, span: 2, content: "an old vibraphone" })]);
		expect(await count("xylophone")).toBe(3);
		await filler.step();
		expect(await count("xylophone")).toBe(2);
		expect(await count("vibraphone")).toBe(2);
	} finally {
		await pool.end();
	}
});
