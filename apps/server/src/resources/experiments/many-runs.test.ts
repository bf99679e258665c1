import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { makeDataset } from "./test-datasets.ts";

const EXAMPLES = 260;
const REPETITIONS = 2;
const RUNS = EXAMPLES * REPETITIONS;

let server: TestApp;
let experiment: string;
beforeAll(async () => {
	server = await openTestApp();
	const { id, exampleIds } = await makeDataset(server.context, EXAMPLES);
	const made = await server.call("POST", `/v1/datasets/${id}/experiments`, { repetitions: REPETITIONS });
	experiment = made.json.data.id;
	const rows = exampleIds.flatMap((example, index) =>
		[1, 2].map((repetition_number) => ({
			experiment_id: decodeGlobalId(experiment, "Experiment") ?? 0,
			example_id: decodeGlobalId(example, "DatasetExample") ?? 0,
			repetition_number,
			output: `"${index}/${repetition_number}"`,
			error: null,
			trace_id: null,
			start_micros: 0,
			end_micros: 1_000,
			user_id: null,
		})),
	);
	await server.context.db.write((transaction) => transaction.insertInto("experiment_runs").values(rows).execute());
});
afterAll(() => server[Symbol.asyncDispose]());

const OUTPUTS = Array.from({ length: EXAMPLES }, (_, index) => [`${index}/1`, `${index}/2`]).flat();

test("all runs are listed once, newest first", async () => {
	const { json } = await server.get(`/v1/experiments/${experiment}/runs`);
	expect(json.data.map(({ output }: { output: string }) => output)).toEqual(OUTPUTS.toReversed());
	const from = json.data[300].id.replace("=", "");
	const rest = await server.get(`/v1/experiments/${experiment}/runs?cursor=${from}`);
	expect(rest.json.data).toEqual(json.data.slice(300));
});

test("downloads have every run once, by example and repetition", async () => {
	const { json } = await server.get(`/v1/experiments/${experiment}/json`);
	expect(json.map(({ output }: { output: string }) => output)).toEqual(OUTPUTS);
	const csv = (await server.get(`/v1/experiments/${experiment}/csv`)).text;
	expect(csv.trimEnd().split("\r\n")).toHaveLength(RUNS + 1);
});

test("a download ends when its reader loses access", async () => {
	await using secured = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { context } = secured;
	const { id, exampleIds } = await makeDataset(context, 201);
	const [member, viewer] = [await secured.signedIn("MEMBER"), await secured.signedIn("VIEWER", "key")];
	const made = await secured.call("POST", `/v1/datasets/${id}/experiments`, {}, member.headers);
	const rows = exampleIds.map((example) => ({
		experiment_id: decodeGlobalId(made.json.data.id, "Experiment") ?? 0,
		example_id: decodeGlobalId(example, "DatasetExample") ?? 0,
		repetition_number: 1,
		output: "1",
		error: null,
		trace_id: null,
		start_micros: 0,
		end_micros: 1,
		user_id: null,
	}));
	await context.db.write((transaction) => transaction.insertInto("experiment_runs").values(rows).execute());
	const url = `/v1/experiments/${made.json.data.id}/json`;
	expect((await secured.get(url, viewer.headers)).json).toHaveLength(201);
	// A caller's rights are cached for a second, within which the request itself is accepted.
	await context.db.write((transaction) => transaction.deleteFrom("api_keys").where("id", "=", viewer.rowId).execute());
	const outcome = await secured.get(url, viewer.headers).then(
		({ status }) => status,
		() => "broken off",
	);
	expect(["broken off", 401]).toContain(outcome);
});

test("an experiment of many runs is deleted as a whole", async () => {
	expect((await server.call("DELETE", `/v1/experiments/${experiment}`)).status).toBe(204);
	expect(await server.context.db.read.selectFrom("experiment_runs").select("id").execute()).toEqual([]);
});
