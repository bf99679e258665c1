import { expect, test } from "vitest";
import { type BlockSpan, DamagedBlock, packBlocks, unpackBlock, unpackFirst } from "./block.ts";

const EMPTY = { bytes: new Uint8Array(0), schemaUrl: "" };

/** Spans whose bytes hardly compress, of two resources and scopes. */
function spansOf(lengths: readonly number[]): BlockSpan[] {
	let state = 1;
	const next = () => {
		state = (state * 48_271) % 2_147_483_647;
		return 97 + (state % 20);
	};
	const shared = (name: string) => ({ bytes: Buffer.from(name), schemaUrl: `https://${name}` });
	return lengths.map((length, index) => ({
		bytes: Uint8Array.from({ length }, next),
		resource: index % 7 === 0 ? EMPTY : shared("resource"),
		scope: shared(`scope ${index % 2}`),
	}));
}

function bytesOf(spans: readonly BlockSpan[]): string[] {
	return spans.map(({ bytes, scope, resource }) =>
		[bytes, scope.bytes, resource.bytes].map((part) => Buffer.from(part).toString("hex")).join(" "),
	);
}

test("the first spans of a block are unpacked alone, as far as its first part goes", () => {
	for (const length of [1_100, 2_000, 15_000, 100_000, 131_060]) {
		const count = Math.min(128, Math.floor(262_144 / length));
		const [block] = packBlocks(spansOf(Array.from({ length: count }, (_, index) => length + (index % 3))));
		const data = block?.data ?? new Uint8Array(0);
		const first = unpackFirst(data) ?? [];
		const all = unpackBlock(data);
		// zstd may end the first part early.
		if (length <= 15_000) expect(first.length).toBeGreaterThan(0);
		expect(first.length).toBeLessThan(all.length);
		expect(bytesOf(first)).toEqual(bytesOf(all.slice(0, first.length)));
	}
});

test("a small block is unpacked as a whole, and a first part that is damaged is not read", () => {
	for (const length of [1, 900, 130_000])
		expect(unpackFirst(packBlocks(spansOf([length]))[0]?.data ?? EMPTY.bytes)).toBe(undefined);
	const data = Buffer.from(packBlocks(spansOf(Array.from({ length: 100 }, () => 2_000)))[0]?.data ?? []);
	// Of the largest kind, which zstd reserves.
	data[9] = (data[9] ?? 0) | 6;
	expect(unpackFirst(data)).toBe(undefined);
	const cut = data.fill(0xff, 40, 4_000);
	cut[9] = (cut[9] ?? 0) & ~2;
	expect(() => unpackFirst(cut)).toThrow(DamagedBlock);
});

test("chosen spans begin their block, and the others keep their order", () => {
	const spans = spansOf([10, 20, 30, 40, 50]).map((span) => ({ ...span, scope: EMPTY, resource: EMPTY }));
	const [block] = packBlocks(spans, { first: ({ bytes }) => bytes.length % 20 === 0 });
	expect(block?.spans.map(({ bytes }) => bytes.length)).toEqual([20, 40, 10, 30, 50]);
	expect(unpackBlock(block?.data ?? EMPTY.bytes).map(({ bytes }) => bytes.length)).toEqual([20, 40, 10, 30, 50]);
});
