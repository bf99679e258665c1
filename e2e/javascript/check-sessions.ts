import type { Span } from "@arizeai/phoenix-client/spans";
import { expect, test } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";
import { makeSpan } from "./make-span.ts";

export function checkSessions(under: () => ClientUnderTest): void {
	test("traces and sessions are listed and read, and sessions deleted", async () => {
		const { client, spans, traces, sessions } = under();
		const project = { projectName: "js-sessions" };
		await spans.logSpans({
			client,
			project,
			spans: [
				makeSpan({
					trace: 21,
					span: 21,
					name: "first",
					kind: "CHAIN",
					second: 1,
					attributes: turn("talk", "hi", "hello"),
				}),
				makeSpan({
					trace: 22,
					span: 22,
					name: "second",
					kind: "CHAIN",
					second: 5,
					attributes: turn("talk", "bye", "ciao"),
				}),
				makeSpan({ trace: 22, span: 23, name: "inner", kind: "TOOL", parent: 22, second: 6 }),
				makeSpan({ trace: 23, span: 24, name: "other", kind: "CHAIN", second: 7, attributes: turn("other", "x", "y") }),
			],
		});

		const listed = await traces.getTraces({ client, project, includeSpans: true, order: "asc" });
		expect(listed.traces.map((trace) => trace.spans?.map(({ name }) => name))).toEqual([
			["first"],
			["second", "inner"],
			["other"],
		]);
		expect((await traces.getTraces({ client, project, sessionId: "talk" })).traces).toHaveLength(2);

		const found = await sessions.listSessions({ client, projectName: "js-sessions" });
		expect(found.map(({ sessionId }) => sessionId)).toEqual(["talk", "other"]);
		const session = await sessions.getSession({ client, sessionId: "talk" });
		expect(session.traces).toHaveLength(2);
		const turns = await sessions.getSessionTurns({ client, sessionId: "talk" });
		expect(turns.map(({ input, output }) => [input?.value, output?.value])).toEqual([
			["hi", "hello"],
			["bye", "ciao"],
		]);

		await sessions.deleteSession({ client, sessionId: "talk" });
		expect((await spans.getSpans({ client, project })).spans.map(({ name }) => name)).toEqual(["other"]);
		await sessions.deleteSessions({ client, sessionIds: ["other"] });
		expect(await sessions.listSessions({ client, projectName: "js-sessions" })).toEqual([]);
	});
}

function turn(session: string, input: string, output: string): NonNullable<Span["attributes"]> {
	return { "session.id": session, "input.value": input, "output.value": output };
}
