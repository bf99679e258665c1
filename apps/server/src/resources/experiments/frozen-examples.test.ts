import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { run } from "./test-datasets.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

async function upload(name: string, rows: Readonly<Record<string, { input: string; split?: string }>>) {
	const body = {
		name,
		action: "update",
		inputs: Object.values(rows).map(({ input }) => ({ input })),
		outputs: Object.values(rows).map(() => ({})),
		splits: Object.values(rows).map(({ split }) => split ?? null),
		example_ids: Object.keys(rows),
	};
	const { status, json, text } = await server.call("POST", "/v1/datasets/upload?sync=true", body);
	expect(status, text).toBe(200);
	return json.data.dataset_id as string;
}

async function experimentOn(dataset: string, body: object = {}): Promise<string> {
	return (await server.call("POST", `/v1/datasets/${dataset}/experiments`, body)).json.data.id;
}

async function inputs(experiment: string): Promise<string[]> {
	const { json } = await server.get(`/v1/experiments/${experiment}/incomplete-runs`);
	return json.data.map((item: { dataset_example: { input: { input: string } } }) => item.dataset_example.input.input);
}

test("later versions of the dataset do not change an experiment", async () => {
	const before = { a: { input: "1", split: "train" }, b: { input: "2" }, c: { input: "3", split: "train" } };
	const dataset = await upload("frozen", before);
	const [whole, train] = [await experimentOn(dataset), await experimentOn(dataset, { splits: ["train"] })];
	await upload("frozen", { a: { input: "one" }, b: { input: "2", split: "train" }, d: { input: "4", split: "train" } });
	expect(await inputs(whole)).toEqual(["1", "2", "3"]);
	expect(await inputs(train)).toEqual(["1", "3"]);
	const after = await experimentOn(dataset, { splits: ["train"] });
	expect(await inputs(after)).toEqual(["2", "4"]);
});

test("an experiment on an older version of the dataset has the examples of that version", async () => {
	const dataset = await upload("older", { a: { input: "1" } });
	const [version] = (await server.get(`/v1/datasets/${dataset}/versions`)).json.data;
	await upload("older", { a: { input: "one" }, b: { input: "2" } });
	expect(await inputs(await experimentOn(dataset, { version_id: version.version_id }))).toEqual(["1"]);
	expect(await inputs(await experimentOn(dataset))).toEqual(["one", "2"]);
	const other = await upload("another", { z: { input: "1" } });
	const foreign = await server.call("POST", `/v1/datasets/${other}/experiments`, { version_id: version.version_id });
	expect(foreign.status).toBe(404);
});

test("an experiment of a split that was deleted keeps its examples", async () => {
	const dataset = await upload("split", { a: { input: "1", split: "gone" }, b: { input: "2" } });
	const experiment = await experimentOn(dataset, { splits: ["gone"] });
	const [split] = (await server.get(`/v1/datasets/${dataset}/splits`)).json.data;
	expect((await server.call("DELETE", `/v1/datasets/${dataset}/splits/${split.id}`)).status).toBe(204);
	expect(await inputs(experiment)).toEqual(["1"]);
	expect((await server.get(`/v1/experiments/${experiment}`)).json.data.example_count).toBe(1);
});

test("an experiment is deleted with its dataset", async () => {
	const dataset = await upload("deleted", { a: { input: "1" } });
	const experiment = await experimentOn(dataset);
	const { json } = await server.get(`/v1/experiments/${experiment}/incomplete-runs`);
	const body = run(json.data[0].dataset_example.id);
	expect((await server.call("POST", `/v1/experiments/${experiment}/runs`, body)).status).toBe(200);
	expect((await server.call("DELETE", `/v1/datasets/${dataset}`)).status).toBe(204);
	expect((await server.get(`/v1/experiments/${experiment}`)).status).toBe(404);
	expect((await server.get("/v1/experiments?limit=1000")).json.data.map(({ id }: { id: string }) => id)).not.toContain(
		experiment,
	);
});
