import { expect, test } from "vitest";
import { z } from "zod";
import { bodyList } from "./body-list.ts";

const Item = z.object({ name: z.string(), tags: z.array(z.string()).optional() });
const plain = z.object({ data: z.array(Item).min(1).max(1_000_000) });
const Body = z.object({ data: bodyList(Item, { min: 1, max: 1_000_000 }) });

test.each([
	["items", { data: [{ name: "a", tags: ["x"], other: 1 }, { name: "b" }] }],
	["faults", { data: [{ name: 1, tags: [2] }, 3, { name: "b" }, null] }],
	["no items", { data: [] }],
	["no list", { data: { length: 1 } }],
	["no data", {}],
])("says of %s what a list of zod says", (_what, body) => {
	const [expected, actual] = [plain.safeParse(body), Body.safeParse(body)];
	expect(actual.data).toEqual(expected.data);
	expect(actual.error?.issues).toEqual(expected.error?.issues);
});

test("is described as a list of zod is", () => {
	expect(z.toJSONSchema(Body, { io: "input" })).toEqual(z.toJSONSchema(plain, { io: "input" }));
});

test("names a hundred faults of a million, also where more is said of the list", () => {
	const data = Array.from({ length: 1_000_000 }, () => ({ name: 1, tags: [1] }));
	expect(Body.safeParse({ data }).error?.issues).toHaveLength(100);
	const described = bodyList(Item, { max: 1_000_000 }).describe("Many.").nullish();
	expect(described.safeParse(data).error?.issues).toHaveLength(100);
});

test("refuses too many items without looking at them", () => {
	const short = bodyList(Item, { max: 2 }).safeParse([1, 2, 3]);
	expect(short.error?.issues).toMatchObject([{ code: "too_big", maximum: 2, path: [] }]);
});
