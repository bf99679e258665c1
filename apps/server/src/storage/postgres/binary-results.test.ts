import { expect } from "vitest";
import { binaryQuery } from "./binary-results.ts";
import { openPool } from "./connection.ts";
import { createTestSchema, testWithPostgres } from "./test-postgres.ts";

testWithPostgres("reads binary results of any length, between others as text", async () => {
	await using schema = await createTestSchema();
	const { settings } = schema;
	const pool = openPool(settings, settings.primary, { name: "test", size: 1 }, () => undefined);
	const client = await pool.connect();
	// Around the lengths of what a socket delivers at once.
	const lengths = [0, 1, 65_500, 65_520, 65_536, 70_000, 300_000, 5, 4_000_000];
	const ask = binaryQuery(
		`select position::bigint - 3 as position, length, null::bytea as missing,
			decode(repeat('00ff80c3', length / 4) || repeat('7f', length % 4), 'hex') as bytes
		from unnest($1::int[]) with ordinality as wanted (length, position) order by wanted.position`,
		[lengths],
	);
	for (let turn = 0; turn < 3; turn += 1) {
		const { rows } = await client.query(ask);
		expect(rows.map((row) => row.bytes.length)).toEqual(lengths);
		for (const [index, { position, length, missing, bytes }] of rows.entries()) {
			expect({ position, length, missing }).toEqual({ position: index - 2, length: lengths[index], missing: null });
			const whole = Math.floor(length / 4);
			const expected = Buffer.concat([
				Buffer.from("00ff80c3".repeat(whole), "hex"),
				Buffer.from("7f".repeat(length % 4), "hex"),
			]);
			expect(expected.equals(bytes)).toBe(true);
		}
		const { rows: texts } = await client.query(
			"select n, repeat('é', 3 * n) as text from generate_series(1, $1) as n",
			[500],
		);
		expect(texts.map(({ n, text }) => [n, text.length])).toEqual(
			Array.from({ length: 500 }, (_, i) => [i + 1, 3 * i + 3]),
		);
	}
	client.release();
	await pool.end();
});

testWithPostgres(
	"a statement with binary results that fails, or finds nothing, leaves the connection usable",
	async () => {
		await using schema = await createTestSchema();
		const { settings } = schema;
		const pool = openPool(settings, settings.primary, { name: "test", size: 1 }, () => undefined);
		const divide = binaryQuery("select 12 / n as quotient from unnest($1::int[]) as n", [[3, 0]]);
		await expect(pool.query(divide)).rejects.toThrow("division by zero");
		expect((await pool.query(binaryQuery("select n from unnest($1::int[]) as n", [[]]))).rows).toEqual([]);
		await expect(pool.query(binaryQuery("select $1::numeric as n", [1]))).rejects.toThrow("cannot be read in binary");
		expect((await pool.query("select $1::bigint as n", [7])).rows).toEqual([{ n: 7 }]);
		await pool.end();
	},
);
