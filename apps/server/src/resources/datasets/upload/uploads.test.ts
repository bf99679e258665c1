import { afterAll, expect, it } from "vitest";
import { openTestApp, text } from "#test-app.ts";
import { examplesOf, uploadJson } from "./test-uploads.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());

const upload = (body: object, query = "?sync=true") => server.call("POST", `/v1/datasets/upload${query}`, body);

it("creates a dataset whose examples are as they were sent, in their order", async () => {
	const { url, versionId, done } = await uploadJson(server, {
		name: "created",
		inputs: [{ b: 1, a: 12345678901234567890n.toString() }, { b: 2 }],
		outputs: [{ answer: [1, { x: null }] }, {}],
		example_ids: ["mine", null],
		splits: ["train", ["train", " test "]],
	});
	expect(done).toEqual([2, 0, 0]);
	const [first, second] = await examplesOf(server, url);
	expect(first).toMatchObject({
		id: "mine",
		input: { b: 1 },
		output: { answer: [1, { x: null }] },
		metadata: {},
		splits: ["train"],
	});
	expect(second.id).toBe(second.node_id);
	expect(second.splits).toEqual(["test", "train"]);
	const { json } = await server.get(`${url}/versions`);
	expect(json.data).toMatchObject([
		{ version_id: versionId, created_count: 2, updated_count: 0, deleted_count: 0, example_count: 2 },
	]);
});

it("refuses with the texts that clients look for", async () => {
	await uploadJson(server, { name: "taken", inputs: [] });
	const refused: [object, number, string][] = [
		[{ name: "taken", inputs: [] }, 409, 'A dataset named "taken" already exists.'],
		[{ name: "new", inputs: [], action: "zzz" }, 422, "Invalid dateset action: zzz"],
		[{ inputs: [] }, 422, "Dataset name is required"],
		[{ name: "new" }, 422, "input is required"],
		[{ name: "new", inputs: [1] }, 422, "Input should be a list containing only dictionary objects"],
		[
			{ name: "new", inputs: [{}], outputs: [] },
			422,
			"outputs should be a list of same length as input containing only dictionary objects",
		],
		[{ name: "new", inputs: [{}, {}], example_ids: ["x", "x"] }, 422, "Duplicate example_id in request: 'x'"],
		[
			{ name: "taken", action: "append", inputs: [{}], example_ids: ["RGF0YXNldEV4YW1wbGU6OTk5"] },
			422,
			"No examples found in this dataset with the following IDs: 'RGF0YXNldEV4YW1wbGU6OTk5'",
		],
	];
	for (const [body, status, message] of refused) {
		const answer = await upload(body);
		expect([answer.status, answer.text]).toEqual([status, message]);
	}
	expect((await server.get("/v1/datasets?name=new")).json.data).toEqual([]);
});

it("changes nothing when the same is sent again, whatever the order of keys", async () => {
	const rows = { inputs: [{ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 2, d: 3 } }, { a: 2 }] };
	const first = await uploadJson(server, { name: "again", ...rows });
	const reordered = { inputs: [{ b: { d: 3, c: 2 }, a: 1 }, { a: 2 }, { a: 1, b: { c: 2, d: 3 } }] };
	for (const action of ["append", "update"]) {
		const { done, versionId } = await uploadJson(server, { name: "again", action, ...reordered });
		expect([done, versionId]).toEqual([[0, 0, 0], first.versionId]);
	}
	const more = await uploadJson(server, { name: "again", action: "append", inputs: Array(4).fill(rows.inputs[0]) });
	expect(more.done).toEqual([2, 0, 0]);
});

it("appends, updates and deletes, and older versions keep what they held", async () => {
	const first = await uploadJson(server, { name: "versions", inputs: [{ q: 1 }, { q: 2 }], example_ids: ["a", "b"] });
	const second = await uploadJson(server, {
		name: "versions",
		action: "append",
		inputs: [{ q: 20 }, { q: 3 }],
		example_ids: ["b", null],
	});
	expect(second.done).toEqual([1, 1, 0]);
	const third = await uploadJson(server, {
		name: "versions",
		action: "update",
		inputs: [{ q: 20 }],
		example_ids: ["b"],
	});
	expect(third.done).toEqual([0, 0, 2]);
	const questions = async (version: string) =>
		(await examplesOf(server, first.url, `?version_id=${version}`)).map(
			({ input }: { input: { q: number } }) => input.q,
		);
	expect(await questions(first.versionId)).toEqual([1, 2]);
	expect(await questions(second.versionId)).toEqual([1, 20, 3]);
	expect(await questions(third.versionId)).toEqual([20]);
	const back = await uploadJson(server, { name: "versions", action: "append", inputs: [{ q: 1 }], example_ids: ["a"] });
	expect(back.done).toEqual([1, 0, 0]);
	expect(await questions(back.versionId)).toEqual([1, 20]);
});

it("does not let a row without an id take the example that another row names", async () => {
	const { url } = await uploadJson(server, { name: "named", inputs: [{ q: 1 }], example_ids: ["a"] });
	const { done } = await uploadJson(server, {
		name: "named",
		action: "append",
		inputs: [{ q: 1 }, { q: 1 }],
		example_ids: [null, "a"],
	});
	expect(done).toEqual([1, 0, 0]);
	expect(await examplesOf(server, url)).toHaveLength(2);
});

it("keeps the splits of rows that do not mention splits, and replaces them for those that do", async () => {
	const { url, versionId } = await uploadJson(server, {
		name: "splits",
		inputs: [{ q: 1 }, { q: 2 }],
		splits: ["x", "x"],
	});
	const kept = await uploadJson(server, { name: "splits", action: "append", inputs: [{ q: 1 }] });
	expect(kept.done).toEqual([0, 0, 0]);
	const moved = await uploadJson(server, { name: "splits", action: "append", inputs: [{ q: 1 }], splits: ["y"] });
	expect(moved.done).toEqual([0, 1, 0]);
	expect(await examplesOf(server, url, "?split=x")).toHaveLength(1);
	expect(await examplesOf(server, url, `?split=x&version_id=${versionId}`)).toHaveLength(2);
});

it("links examples to stored spans", async () => {
	await server.send([{ name: "s", spanId: "a".repeat(16), attributes: { "input.value": text("hi") } }]);
	const { url } = await uploadJson(server, {
		name: "linked",
		inputs: [{}, {}],
		span_ids: ["A".repeat(16), "b".repeat(16)],
	});
	const [first, second] = await examplesOf(server, url);
	expect(first.source.span_id).toBe("a".repeat(16));
	expect(second.source).toBeNull();
	await server.call("DELETE", `/v1/spans/${first.source.span_node_id}`);
	expect((await examplesOf(server, url))[0].source).toBeNull();
});

it("has stored an upload without sync when it answers", async () => {
	const answer = await upload({ name: "not waited for", inputs: [{}] }, "");
	expect([answer.status, answer.text]).toEqual([200, "null"]);
	expect((await server.get("/v1/datasets?name=not%20waited%20for")).json.data).toMatchObject([{ example_count: 1 }]);
	expect((await upload({ name: "not waited for", inputs: [{}] }, "")).status).toBe(409);
});

it("gives simultaneous uploads to one dataset one version after the other", async () => {
	const { url } = await uploadJson(server, { name: "at once", inputs: [] });
	const rows = (who: number) => Array.from({ length: 700 }, (_, row) => ({ who, row }));
	const uploads = [1, 2, 3].map((who) => uploadJson(server, { name: "at once", action: "append", inputs: rows(who) }));
	const done = await Promise.all(uploads);
	expect(done.map((upload) => upload.done)).toEqual([1, 2, 3].map(() => [700, 0, 0]));
	const { json } = await server.get(`${url}/versions`);
	expect(json.data.map((version: { example_count: number }) => version.example_count)).toEqual([2100, 1400, 700, 0]);
	const whos = (await examplesOf(server, url)).map(({ input }: { input: { who: number } }) => input.who);
	expect(whos.filter((who: number, row: number) => who !== whos[row - 1])).toHaveLength(3);
});

it("gives a new name to only one of several simultaneous uploads", async () => {
	const answers = await Promise.all([1, 2, 3].map(() => upload({ name: "wanted", inputs: [{}] })));
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

it("refuses bodies that nest too deeply, have no content type or another one", async () => {
	let deep: object = {};
	for (let level = 0; level < 200; level += 1) deep = { deep };
	expect((await upload({ name: "deep", inputs: [deep] })).text).toBe("row 1: the example nests deeper than 100 levels");
	expect((await server.call("POST", "/v1/datasets/upload")).status).toBe(400);
	const other = await server.app.inject({
		method: "POST",
		url: "/v1/datasets/upload",
		headers: { "content-type": "text/plain" },
		payload: "x",
	});
	expect([other.statusCode, other.body]).toEqual([422, "Invalid request Content-Type"]);
});
