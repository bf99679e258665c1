import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(async () => {
	for (const { id, name } of await all()) {
		if (name !== "user_feedback") await server.call("DELETE", `${CONFIGS}/${id}`);
	}
	await server.clear();
});
afterAll(() => server[Symbol.asyncDispose]());

const CONFIGS = "/v1/annotation_configs";
const OF_PROJECT = "/v1/projects/default/annotation_configs";

const categorical = {
	name: "quality",
	type: "CATEGORICAL",
	optimization_direction: "MAXIMIZE",
	values: [{ label: "good", score: 1 }, { label: "bad" }],
};
const continuous = { name: "score", type: "CONTINUOUS", optimization_direction: "MINIMIZE", lower_bound: 0 };
const freeform = { name: "remarks", type: "FREEFORM", description: "say it" };

async function all() {
	return (await server.get(`${CONFIGS}?limit=1000`)).json.data;
}

async function create(body: object) {
	return (await server.call("POST", CONFIGS, body)).json.data;
}

const wordOf = (id: string) => Buffer.from(id, "base64").toString().split(":")[0];
const numberOf = (id: string) => Buffer.from(id, "base64").toString().split(":")[1];

test("a new server has one config, for feedback", async () => {
	expect(await all()).toEqual([
		{
			id: Buffer.from("CategoricalAnnotationConfig:1").toString("base64"),
			name: "user_feedback",
			type: "CATEGORICAL",
			description: "User feedback labels for traces.",
			optimization_direction: "MAXIMIZE",
			values: [
				{ label: "positive", score: 1 },
				{ label: "negative", score: 0 },
			],
		},
	]);
});

test("a config of each kind is answered with all its fields, null where nothing was given", async () => {
	expect(await create(categorical)).toMatchObject({
		...categorical,
		description: null,
		values: [
			{ label: "good", score: 1 },
			{ label: "bad", score: null },
		],
	});
	expect(await create(continuous)).toMatchObject({ ...continuous, description: null, upper_bound: null });
	const third = await create(freeform);
	expect(third).toMatchObject({
		...freeform,
		optimization_direction: null,
		threshold: null,
		lower_bound: null,
		upper_bound: null,
	});
	expect((await server.get(`${CONFIGS}/remarks`)).json.data).toEqual(third);
	expect((await server.get(`${CONFIGS}/${third.id}`)).json.data).toEqual(third);
	expect((await server.get(`${CONFIGS}/nothing`)).text).toBe("Annotation configuration not found");
});

test.each([
	["no values", { ...categorical, values: [] }],
	["an empty label", { ...categorical, values: [{ label: "" }] }],
	["a label twice", { ...categorical, values: [{ label: "a" }, { label: "a" }] }],
	["bounds the wrong way round", { ...continuous, lower_bound: 1, upper_bound: 1 }],
	["bounds of a text the wrong way round", { ...freeform, lower_bound: 2, upper_bound: 1 }],
])("refuses %s with 400", async (_what, body) => {
	expect((await server.call("POST", CONFIGS, body)).status).toBe(400);
});

test.each([
	["an empty name", { ...categorical, name: "" }],
	["no direction", { ...continuous, optimization_direction: undefined }],
	["another kind", { ...categorical, type: "OTHER" }],
	["a NUL in a label", { ...categorical, values: [{ label: "a\0" }] }],
])("refuses %s with 422", async (_what, body) => {
	expect((await server.call("POST", CONFIGS, body)).status).toBe(422);
});

test("names are unique, and the name of notes is reserved", async () => {
	await create(categorical);
	const other = await create(continuous);
	for (const answer of [
		await server.call("POST", CONFIGS, { ...freeform, name: "quality" }),
		await server.call("PUT", `${CONFIGS}/${other.id}`, { ...continuous, name: "quality" }),
	]) {
		expect([answer.status, answer.text]).toEqual([409, "The name of the annotation configuration is already taken"]);
	}
	expect((await server.call("POST", CONFIGS, { ...freeform, name: "note" })).status).toBe(409);
	expect((await server.call("PUT", `${CONFIGS}/${other.id}`, { ...continuous, name: "note" })).status).toBe(409);
});

test("a config whose kind changes keeps its number, and every id it had still finds it", async () => {
	const before = await create(categorical);
	const { json } = await server.call("PUT", `${CONFIGS}/${before.id}`, { ...freeform, name: "quality" });
	expect([wordOf(before.id), wordOf(json.data.id)]).toEqual([
		"CategoricalAnnotationConfig",
		"FreeformAnnotationConfig",
	]);
	expect(numberOf(json.data.id)).toBe(numberOf(before.id));
	expect((await server.get(`${CONFIGS}/${before.id}`)).json.data).toEqual(json.data);
	const deleted = await server.call("DELETE", `${CONFIGS}/${before.id}`);
	expect([deleted.status, deleted.json.data]).toEqual([200, json.data]);
	expect((await server.call("DELETE", `${CONFIGS}/${before.id}`)).status).toBe(404);
});

test("a change names the state that it was made from", async () => {
	const { id } = await create(categorical);
	const seen = String((await server.get(`${CONFIGS}/${id}`)).headers["etag"]);
	const first = await server.call("PUT", `${CONFIGS}/${id}`, categorical, { "if-match": seen });
	expect(first.status).toBe(200);
	expect((await server.call("PUT", `${CONFIGS}/${id}`, categorical, { "if-match": seen })).status).toBe(412);
	expect((await server.call("DELETE", `${CONFIGS}/${id}`, undefined, { "if-match": seen })).status).toBe(412);
});

test("malformed ids are refused", async () => {
	expect((await server.call("PUT", `${CONFIGS}/junk`, categorical)).status).toBe(422);
	expect((await server.call("DELETE", `${CONFIGS}/junk`)).status).toBe(422);
	const unknown = Buffer.from("FreeformAnnotationConfig:999999").toString("base64");
	expect((await server.call("PUT", `${CONFIGS}/${unknown}`, categorical)).status).toBe(404);
	expect((await server.get(`${CONFIGS}?cursor=${Buffer.from("Span:1").toString("base64")}`)).status).toBe(422);
});

test("the list pages from the newest, across kinds", async () => {
	for (const body of [categorical, continuous, freeform]) await create(body);
	const names: string[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const { json } = await server.get(`${CONFIGS}?limit=2&cursor=${encodeURIComponent(cursor)}`);
		names.push(...json.data.map((config: { name: string }) => config.name));
		cursor = json.next_cursor;
	}
	expect(names).toEqual(["remarks", "score", "quality", "user_feedback"]);
});

test("a project asks for configs, one at a time or all at once", async () => {
	const [first, second] = [await create(categorical), await create(freeform)];
	const assigned = async () => (await server.get(OF_PROJECT)).json.data.map((config: { name: string }) => config.name);
	for (const identifier of ["quality", first.id]) {
		const { status, json } = await server.call("PUT", `${OF_PROJECT}/${identifier}`);
		expect([status, json.data]).toEqual([200, first]);
	}
	expect(await assigned()).toEqual(["quality"]);
	const set = await server.call("PUT", OF_PROJECT, { annotation_config_ids: [second.id, second.id] });
	expect(set.json).toEqual({ data: [second], next_cursor: null });
	for (const id of ["junk", Buffer.from("FreeformAnnotationConfig:999999").toString("base64")]) {
		expect((await server.call("PUT", OF_PROJECT, { annotation_config_ids: [first.id, id] })).status).toBe(422);
	}
	expect(await assigned()).toEqual(["remarks"]);
	for (let again = 0; again < 2; again += 1) {
		expect((await server.call("DELETE", `${OF_PROJECT}/remarks`)).status).toBe(204);
	}
	expect(await assigned()).toEqual([]);
	expect((await server.call("PUT", OF_PROJECT, { annotation_config_ids: [] })).json.data).toEqual([]);
	expect((await server.call("PUT", `${OF_PROJECT}/nothing`)).status).toBe(404);
	expect((await server.call("PUT", `/v1/projects/nowhere/annotation_configs/${first.id}`)).status).toBe(404);
});

test("assignments are deleted with their config and with their project", async () => {
	const config = await create(categorical);
	const { json } = await server.call("POST", "/v1/projects", { name: "gone" });
	await server.call("PUT", `/v1/projects/${json.data.id}/annotation_configs/${config.id}`);
	await server.call("PUT", `${OF_PROJECT}/${config.id}`);
	expect((await server.call("DELETE", `/v1/projects/${json.data.id}`)).status).toBe(204);
	await server.call("DELETE", `${CONFIGS}/${config.id}`);
	const left = await server.context.db.read.selectFrom("project_annotation_configs").selectAll().execute();
	expect(left).toEqual([]);
});

test("refuses labels that would make lists of configs long", async () => {
	const values = Array.from({ length: 1_000 }, (_, number) => ({ label: `${"l".repeat(100)}${number}` }));
	const config = { name: "long", type: "CATEGORICAL", optimization_direction: "NONE", values };
	expect((await server.call("POST", "/v1/annotation_configs", config)).status).toBe(422);
	const short = { ...config, values: values.slice(0, 500) };
	expect((await server.call("POST", "/v1/annotation_configs", short)).status).toBe(200);
});
