import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

async function create(override: object = {}): Promise<string> {
	const version = {
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		template_type: "CHAT",
		template_format: "MUSTACHE",
		template: chat(["system", "Be short."], ["user", "Hello\nWorld"]),
		invocation_parameters: { type: "openai", openai: { temperature: 0.5, stop: ["a", "b"] } },
		...override,
	};
	const { status, json, text } = await server.call("POST", "/v1/prompts", { prompt: { name: "p" }, version });
	expect(status, text).toBe(200);
	return json.data.id;
}

function chat(...messages: readonly (readonly [role: string, content: unknown])[]): object {
	return { type: "chat", messages: messages.map(([role, content]) => ({ role, content })) };
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function diff(before: string, after: string): Promise<any> {
	const { status, json, text } = await server.get(`/v1/prompt_versions/${after}/diff?against=${before}`);
	expect(status, text).toBe(200);
	return json.data;
}

test("versions with the same content are equal", async () => {
	const [before, after] = [await create(), await create()];
	expect(await diff(before, after)).toMatchObject({
		id: after,
		against: before,
		is_equal: true,
		changes: [],
		messages: [
			{ kind: "equal" },
			{
				kind: "equal",
				lines: [
					{ kind: "equal", text: "Hello" },
					{ kind: "equal", text: "World" },
				],
			},
		],
	});
});

test("every value that differs is named by its path", async () => {
	const before = await create();
	const after = await create({
		model_name: "gpt-5",
		description: "newer",
		invocation_parameters: { type: "openai", openai: { temperature: 1, stop: ["a", "c"], seed: 3 } },
		response_format: { type: "json_schema", json_schema: { name: "x" } },
	});
	const { changes, is_equal } = await diff(before, after);
	expect(is_equal).toBe(false);
	expect(changes).toEqual([
		{ path: ["description"], kind: "changed", before: "", after: "newer" },
		{ path: ["model_name"], kind: "changed", before: "gpt-4o", after: "gpt-5" },
		{ path: ["invocation_parameters", "openai", "temperature"], kind: "changed", before: 0.5, after: 1 },
		{ path: ["invocation_parameters", "openai", "stop", 1], kind: "changed", before: "b", after: "c" },
		{ path: ["invocation_parameters", "openai", "seed"], kind: "added", after: 3 },
		{
			path: ["response_format"],
			kind: "added",
			after: { type: "json_schema", json_schema: { name: "x" } },
		},
	]);
	expect((await diff(after, before)).changes).toContainEqual({
		path: ["invocation_parameters", "openai", "seed"],
		kind: "removed",
		before: 3,
	});
});

test("messages are matched when others are inserted before them, and compared line by line", async () => {
	const before = await create();
	const after = await create({
		template: chat(
			["system", "Be short."],
			["user", "Hello\nMoon"],
			["assistant", [{ type: "text", text: "Hi" }]],
			["user", "Bye"],
		),
	});
	expect((await diff(before, after)).messages).toEqual([
		{
			kind: "equal",
			before: { position: 0, role: "system" },
			after: { position: 0, role: "system" },
			lines: [{ kind: "equal", text: "Be short." }],
		},
		{
			kind: "changed",
			before: { position: 1, role: "user" },
			after: { position: 1, role: "user" },
			lines: [
				{ kind: "equal", text: "Hello" },
				{ kind: "removed", text: "World" },
				{ kind: "added", text: "Moon" },
			],
		},
		{ kind: "added", before: null, after: { position: 2, role: "assistant" }, lines: [{ kind: "added", text: "Hi" }] },
		{ kind: "added", before: null, after: { position: 3, role: "user" }, lines: [{ kind: "added", text: "Bye" }] },
	]);
	expect((await diff(after, before)).messages.map(({ kind }: { kind: string }) => kind)).toEqual([
		"equal",
		"changed",
		"removed",
		"removed",
	]);
	const first = await create({ template: chat(["user", "New"], ["system", "Be short."], ["user", "Hello\nWorld"]) });
	expect((await diff(before, first)).messages.map(({ kind }: { kind: string }) => kind)).toEqual([
		"added",
		"equal",
		"equal",
	]);
});

test("a change of the role alone is a change", async () => {
	const [before, after] = [
		await create({ template: chat(["user", "Hello"]) }),
		await create({ template: chat(["system", "Hello"]) }),
	];
	const { is_equal, messages } = await diff(before, after);
	expect(is_equal).toBe(false);
	expect(messages).toEqual([
		{
			kind: "changed",
			before: { position: 0, role: "user" },
			after: { position: 0, role: "system" },
			lines: [{ kind: "equal", text: "Hello" }],
		},
	]);
});

test("a line stays equal when another one is added after it", async () => {
	const [before, after] = [
		await create({ template: chat(["user", "Hello"]) }),
		await create({ template: chat(["user", "Hello\nMoon"]) }),
	];
	expect((await diff(before, after)).messages[0].lines).toEqual([
		{ kind: "equal", text: "Hello" },
		{ kind: "added", text: "Moon" },
	]);
});

test("texts without common lines are removed and added as a whole, however long", async () => {
	const lines = (word: string) => Array.from({ length: 50_000 }, (_, n) => `${word} ${n}`).join("\n");
	const [before, after] = [
		await create({ template: chat(["user", lines("a")]) }),
		await create({ template: chat(["user", lines("b")]) }),
	];
	const { messages } = await diff(before, after);
	const kinds = messages[0].lines.map(({ kind }: { kind: string }) => kind);
	expect(kinds).toEqual([...Array(50_000).fill("removed"), ...Array(50_000).fill("added")]);
});

test("compares only existing versions", async () => {
	const id = await create();
	const unknown = Buffer.from("PromptVersion:9999").toString("base64");
	expect((await server.get(`/v1/prompt_versions/${id}/diff`)).status).toBe(422);
	expect((await server.get(`/v1/prompt_versions/${id}/diff?against=x`)).status).toBe(422);
	expect((await server.get(`/v1/prompt_versions/${id}/diff?against=${unknown}`)).status).toBe(404);
});

test("the API reference says that an addition has no `before`, and a removal no `after`", async () => {
	const { json } = await server.get("/openapi.json");
	const { required } = json.components.schemas.PromptVersionDiff.properties.changes.items;
	expect(required.toSorted()).toEqual(["kind", "path"]);
});

test("versions with very many values, messages or lines are compared coarsely to bound the time", async () => {
	const values = (from: number) =>
		Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, from + index]));
	const messages = (word: string) =>
		Array.from({ length: 20 }, (_, index) => ["user", `${word} ${index}\n`.repeat(8_000)] as const);
	const parameters = (from: number) => ({ type: "openai", openai: { extra_body: values(from) } });
	const before = await create({ template: chat(...messages("before")), invocation_parameters: parameters(0) });
	const after = await create({ template: chat(...messages("after")), invocation_parameters: parameters(1) });
	const { changes, messages: compared, is_equal } = await diff(before, after);
	expect(is_equal).toBe(false);
	expect(changes.map(({ path }: { path: unknown }) => path)).toEqual([["invocation_parameters"]]);
	expect(compared).toHaveLength(20);
	const lines = compared.flatMap((message: { lines: unknown[] }) => message.lines);
	expect(lines.length).toBeLessThanOrEqual(100_040);
	expect(lines.map(({ text }: { text: string }) => text).join("\n")).toContain("after 19\nafter 19");
});

test("versions are compared one pair after the other, and other requests are served meanwhile", async () => {
	const messages = (word: string) => [["user", `${word}\n`.repeat(20_000)] as const];
	const [before, after] = [
		await create({ template: chat(...messages("before")) }),
		await create({ template: chat(...messages("after")) }),
	];
	let turns = 0;
	const count = () => {
		turns++;
		turn = setImmediate(count);
	};
	let turn = setImmediate(count);
	const ends = await Promise.all(
		Array.from({ length: 4 }, async () => {
			await diff(before, after);
			return turns;
		}),
	);
	clearImmediate(turn);
	ends.sort((a, b) => a - b);
	for (const [index, end] of ends.entries()) if (index > 0) expect(end).toBeGreaterThan((ends[index - 1] ?? 0) + 1);
});

test("a version of more than four mebibytes is refused", async () => {
	const version = { template: chat(["user", "x".repeat(4_200_000)]) };
	const { status } = await server.call("POST", "/v1/prompts", { prompt: { name: "p" }, version });
	expect(status).toBe(413);
});
