import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { assertIfMatch, setEtag } from "./etag.ts";

const row = { id: 7, updated_at: 1_000 };
const request = (ifMatch?: string) => ({ headers: { "if-match": ifMatch } }) as unknown as FastifyRequest;

function tagOf(of: typeof row): string {
	let tag = "";
	setEtag({ header: (_name: string, value: string) => (tag = value) } as never, of);
	return tag;
}

test.each([
	["none is sent", undefined],
	["any state will do", "*"],
	["it is the stored one", tagOf(row)],
	["a proxy made it weak", `W/${tagOf(row)}`],
	["it is among several", `"other", ${tagOf(row)}`],
])("a change is let through when %s", (_why, tag) => {
	expect(() => assertIfMatch(request(tag), row)).not.toThrow();
});

test.each([
	["of an earlier state", tagOf({ ...row, updated_at: 999 })],
	["of another row", tagOf({ ...row, id: 8 })],
	["that means nothing", "x"],
	["that is empty", ""],
])("a change with a tag %s is refused with 412", (_why, tag) => {
	expect(() => assertIfMatch(request(tag), row)).toThrow(expect.objectContaining({ status: 412 }));
});
