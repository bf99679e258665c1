import * as otel from "@arizeai/phoenix-otel";
import { expect, test } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";

/** `register()` of phoenix-otel and what wraps functions in spans of each kind, read back by the client. */
export function checkTracing(under: () => ClientUnderTest, connection: () => { url: string; apiKey?: string }): void {
	async function readSpans(projectName: string) {
		const { client, spans } = under();
		return (await spans.getSpans({ client, project: { projectName } })).spans;
	}

	test.each([true, false])("register() sends spans, in batches: %s", async (batch) => {
		const projectName = `js-otel-${batch}`;
		const provider = otel.register({ projectName, global: false, batch, ...connection() });
		const tracer = provider.getTracer("e2e");
		const attributes = { "openinference.span.kind": "LLM", "llm.model_name": "gpt-4o-mini", "input.value": "hello" };
		tracer.startSpan("chat", { attributes }).end();
		tracer.startSpan("plain").end();
		await provider.shutdown();
		const sent = await readSpans(projectName);
		expect(sent.map((span) => span.name).toSorted()).toEqual(["chat", "plain"]);
		const chat = sent.find((span) => span.name === "chat");
		expect(chat?.span_kind).toBe("LLM");
		expect(chat?.attributes).toMatchObject({ "llm.model_name": "gpt-4o-mini", "input.value": "hello" });
	});

	test("register() reads the address and the key of the environment", async () => {
		const { url, apiKey } = connection();
		process.env["PHOENIX_COLLECTOR_ENDPOINT"] = url;
		if (apiKey !== undefined) process.env["PHOENIX_API_KEY"] = apiKey;
		try {
			const provider = otel.register({ projectName: "js-otel-environment", global: false });
			provider.getTracer("e2e").startSpan("plain").end();
			await provider.shutdown();
		} finally {
			delete process.env["PHOENIX_COLLECTOR_ENDPOINT"];
			delete process.env["PHOENIX_API_KEY"];
		}
		expect(await readSpans("js-otel-environment")).toHaveLength(1);
	});

	test("wrapped functions are spans of their kind, with what the context says", async () => {
		const provider = otel.register({ projectName: "js-otel-wrapped", ...connection() });
		const tracer = provider.getTracer("e2e");
		const wrappers = {
			AGENT: otel.traceAgent,
			CHAIN: otel.traceChain,
			EMBEDDING: otel.traceEmbedding,
			EVALUATOR: otel.traceEvaluator,
			GUARDRAIL: otel.traceGuardrail,
			LLM: otel.traceLLM,
			PROMPT: otel.tracePrompt,
			RERANKER: otel.traceReranker,
			RETRIEVER: otel.traceRetriever,
			TOOL: otel.traceTool,
		};
		let context = otel.setSession(otel.context.active(), { sessionId: "js-otel-session" });
		context = otel.setUser(context, { userId: "somebody" });
		context = otel.setTags(context, ["a", "b"]);
		otel.context.with(otel.setMetadata(context, { team: "x" }), () => {
			for (const [kind, wrap] of Object.entries(wrappers))
				wrap((word: string) => `${word}!`, { name: kind, tracer })("hello");
			otel.withSpan(() => "done", { name: "withSpan", tracer })();
			otel.context.with(otel.suppressTracing(otel.context.active()), () => tracer.startSpan("suppressed").end());
		});
		await provider.shutdown();
		otel.detachGlobalTracerProvider();
		const sent = await readSpans("js-otel-wrapped");
		expect(sent.map(({ name }) => name).toSorted()).toEqual([...Object.keys(wrappers), "withSpan"].toSorted());
		for (const { name, span_kind, attributes } of sent) {
			expect(attributes, name).toMatchObject({
				"session.id": "js-otel-session",
				"user.id": "somebody",
				// The package sends lists as JSON.
				"tag.tags": '["a","b"]',
				"metadata.team": "x",
			});
			if (name === "withSpan") continue;
			expect(span_kind).toBe(name);
			expect(attributes).toMatchObject({ "input.value": "hello", "output.value": "hello!" });
		}
	});
}
