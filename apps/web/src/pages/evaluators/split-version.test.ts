import type { EvaluatorVersionOfEvaluator } from "@spanward/client";
import { expect, test } from "vitest";
import { joinVersion, splitVersion } from "./split-version.ts";

type Version = EvaluatorVersionOfEvaluator["version"];
const COMMON = { inputs: [{ name: "answer" }], outputs: [] };
const variant = (content: unknown) => ({ connection_id: "c", messages: [{ role: "user", content }] });

test("source and plain messages have fields of their own, and what is joined is what was split", () => {
	const code = { ...COMMON, kind: "CODE", language: "javascript", source: "1;" } as unknown as Version;
	expect(splitVersion(code)).toEqual({
		texts: { source: "1;" },
		rest: { ...COMMON, kind: "CODE", language: "javascript" },
	});
	const judge = { ...COMMON, kind: "LLM", variant: variant("Is it right?") } as unknown as Version;
	expect(splitVersion(judge).rest).toMatchObject({ variant: { connection_id: "c" } });
	for (const version of [code, judge]) {
		const { texts, rest } = splitVersion(version);
		expect(joinVersion(texts, rest)).toEqual(version);
	}
});

test("messages with parts stay in the JSON", () => {
	const judge = { ...COMMON, kind: "LLM", variant: variant([{ type: "text", text: "a" }]) } as unknown as Version;
	expect(splitVersion(judge)).toEqual({ texts: {}, rest: judge });
});
