import { afterAll, expect, it } from "vitest";
import { openTestApp, text } from "#test-app.ts";
import { deleteDataset, discardUpload, findUnfinished, finish, hideDataset } from "./unfinished.ts";
import { examplesOf, uploadJson } from "./upload/test-uploads.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());

function rowOf(globalId: string): number {
	return Number(Buffer.from(globalId, "base64").toString().split(":")[1]);
}

it("renames and describes a dataset, and refuses a change that is based on an outdated state", async () => {
	const { url } = await uploadJson(server, { name: "before", inputs: [] });
	await uploadJson(server, { name: "other", inputs: [] });
	const { etag } = (await server.get(url)).headers;
	const match = { "if-match": String(etag) };
	const changed = await server.call("PATCH", url, { name: "after", description: "d", metadata: { a: 1 } }, match);
	expect(changed.json.data).toMatchObject({ name: "after", description: "d", metadata: { a: 1 } });
	expect((await server.call("PATCH", url, { name: "third" }, match)).status).toBe(412);
	expect((await server.call("PATCH", url, { name: "other" })).status).toBe(409);
	expect((await server.call("PATCH", url, { name: " " })).status).toBe(422);
});

it("pages through datasets and versions, and refuses forged cursors", async () => {
	const { json } = await server.get("/v1/datasets?limit=1");
	expect(json.data).toHaveLength(1);
	const next = await server.get(`/v1/datasets?limit=1&cursor=${encodeURIComponent(json.next_cursor)}`);
	expect(next.json.data[0].id).not.toBe(json.data[0].id);
	expect((await server.get("/v1/datasets?cursor=UHJvamVjdDox")).status).toBe(422);
	expect((await server.get(`/v1/datasets/${json.data[0].id}/versions?cursor=UHJvamVjdDox`)).status).toBe(422);
});

it("finds examples by words anywhere in them, in any case, over all pages", async () => {
	const { url, versionId } = await uploadJson(server, {
		name: "searched",
		inputs: Array.from({ length: 450 }, (_, index) => ({
			q: index === 3 || index === 430 ? `ÉCLAIR "number" ${index}` : `plain ${index}`,
		})),
	});
	const found = async (query: string) => {
		const { json } = await server.get(`${url}/examples?version_id=${encodeURIComponent(versionId)}&${query}`);
		return {
			questions: json.data.examples.map(({ input }: { input: { q: string } }) => input.q),
			next: json.next_cursor,
		};
	};
	const both = ['ÉCLAIR "number" 3', 'ÉCLAIR "number" 430'];
	expect(await found('limit=10&q=éclair "NUMBER"')).toEqual({ questions: both, next: null });
	expect((await found("q=éclair")).questions).toEqual(both);
	expect((await found("limit=10&q=éclair plain")).questions).toEqual([]);
	expect((await found("limit=500&q= ")).questions).toHaveLength(450);
	const first = await found("limit=1&q=éclair");
	expect(first.questions).toEqual(both.slice(0, 1));
	const second = await found(`limit=1&q=éclair&cursor=${encodeURIComponent(first.next)}`);
	expect(second).toEqual({ questions: both.slice(1), next: null });
});

it("distinguishes malformed ids from unknown ones", async () => {
	const { url } = await uploadJson(server, { name: "ids", inputs: [{}] });
	const { versionId: foreign } = await uploadJson(server, { name: "foreign", inputs: [{}] });
	const asked: [string, number][] = [
		["/v1/datasets/ids", 422],
		["/v1/datasets/RGF0YXNldDo5OTk=", 404],
		["/v1/datasets/UHJvamVjdDox", 404],
		[`${url}/examples?version_id=zz`, 422],
		[`${url}/examples?version_id=${foreign}`, 404],
		[`${url}/csv?version_id=${foreign}`, 422],
		[`${url}/examples/zz`, 422],
		[`${url}/examples/RGF0YXNldEV4YW1wbGU6OTk5`, 404],
		[`${url}/examples?split=none`, 404],
		["/v1/datasets/ids/splits", 200],
		["/v1/datasets/nobody/splits", 404],
	];
	for (const [path, status] of asked) expect([path, (await server.get(path)).status]).toEqual([path, status]);
});

it("pages through examples, and streams all of them", async () => {
	const inputs = Array.from({ length: 450 }, (_, row) => ({ row }));
	const { url } = await uploadJson(server, { name: "pages", inputs });
	expect((await examplesOf(server, url)).map((example: { input: object }) => example.input)).toEqual(inputs);
	const seen: object[] = [];
	for (let query = "?limit=200"; query !== ""; ) {
		const { json } = await server.get(`${url}/examples${query}`);
		seen.push(...json.data.examples.map((example: { input: object }) => example.input));
		query = json.next_cursor === null ? "" : `?limit=200&cursor=${encodeURIComponent(json.next_cursor)}`;
	}
	expect(seen).toEqual(inputs);
});

it("changes and deletes an example by making versions, which its revisions show", async () => {
	const first = await uploadJson(server, { name: "edited", inputs: [{ q: 1 }], outputs: [{ a: 1 }] });
	const [{ node_id }] = await examplesOf(server, first.url);
	const one = `${first.url}/examples/${node_id}`;
	const { etag } = (await server.get(one)).headers;
	const patched = await server.call("PATCH", one, { input: { q: 2 }, splits: ["new"] }, { "if-match": String(etag) });
	expect(patched.json.data).toMatchObject({ input: { q: 2 }, output: { a: 1 }, splits: ["new"] });
	expect((await server.call("PATCH", one, { splits: [] }, { "if-match": String(etag) })).status).toBe(412);
	const same = await server.call("PATCH", one, { input: { q: 2 } });
	expect(same.json.version_id).toBe(patched.json.version_id);
	expect((await server.call("DELETE", one)).status).toBe(204);
	expect((await server.get(one)).status).toBe(404);
	expect((await server.get(`${one}?version_id=${first.versionId}`)).json.data.input).toEqual({ q: 1 });
	const { json } = await server.get(`${one}/revisions`);
	const [newest] = (await server.get(`${first.url}/versions`)).json.data;
	expect(json.data).toMatchObject([
		{ kind: "PATCH", input: { q: 2 }, version_id: patched.json.version_id, until_version_id: newest.version_id },
		{ kind: "CREATE", input: { q: 1 }, version_id: first.versionId, until_version_id: patched.json.version_id },
	]);
	expect(newest).toMatchObject({ deleted_count: 1, example_count: 0 });
});

it("makes examples from the inputs and outputs of spans", async () => {
	await server.send([
		{
			name: "llm",
			spanId: "a".repeat(16),
			attributes: {
				"openinference.span.kind": text("LLM"),
				"llm.model_name": text("gpt-4o"),
				"llm.input_messages.0.message.role": text("user"),
				"llm.input_messages.0.message.content": text("hi"),
				"llm.output_messages.0.message.role": text("assistant"),
				"llm.output_messages.0.message.content": text("ho"),
			},
		},
		{
			name: "chain",
			spanId: "b".repeat(16),
			attributes: { "input.value": text('{"a":1}'), "output.value": text("plain"), metadata: text('{"m":2}') },
		},
	]);
	const { url } = await uploadJson(server, { name: "spans", inputs: [] });
	const body = { span_ids: ["a".repeat(16), "b".repeat(16), "a".repeat(16)], splits: ["traced"] };
	const { json } = await server.call("POST", `${url}/examples/from_spans`, body);
	expect(json.data.num_created_examples).toBe(2);
	const [llm, chain] = await examplesOf(server, url, "?split=traced");
	expect(llm).toMatchObject({
		input: { messages: [{ role: "user", content: "hi" }] },
		output: { messages: [{ role: "assistant", content: "ho" }] },
		metadata: { span_kind: "LLM", model: "gpt-4o" },
		source: { span_id: "a".repeat(16) },
	});
	expect(chain).toMatchObject({ input: { a: 1 }, output: { output: "plain" }, metadata: { m: 2 } });
	const lines = (await server.get(`${url}/jsonl/openai_ft`)).text
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(lines[0]).toEqual({
		messages: [
			{ role: "user", content: "hi" },
			{ role: "assistant", content: "ho" },
		],
	});
	const evals = (await server.get(`${url}/jsonl/openai_evals`)).text.split("\n", 1)[0] ?? "";
	expect(JSON.parse(evals)).toEqual({ messages: [{ role: "user", content: "hi" }], ideal: "ho" });
	expect((await server.call("POST", `${url}/examples/from_spans`, { span_ids: ["c".repeat(16)] })).status).toBe(404);
});

it("writes CSV that can be uploaded again, under the dataset's name", async () => {
	const name = "naïve (1)/*'";
	const rows = { inputs: [{ q: 'a,"b"\r\n', n: { x: "=1", l: [1] } }], outputs: [{}], splits: ["s"] };
	const { url } = await uploadJson(server, { name, ...rows });
	const answer = await server.get(`${url}/csv?escape_formulas=false`);
	expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
	expect(answer.headers["content-disposition"]).toBe("attachment; filename*=UTF-8''na%C3%AFve%20%281%29%2F%2A%27.csv");
	expect(answer.text).toMatch(/^id,node_id,input\.q,input\.n\.x,input\.n\.l,splits\r\n/);
	expect(answer.text).toContain(`"a,""b""\r\n",=1,[1],"[""s""]"\r\n`);
});

it("escapes formulas in CSV for spreadsheets, unless a program asks for the cells as they are", async () => {
	const input = { a: "=HYPERLINK(1)", b: "@x", c: "+1-1", d: "-2+3", e: "\t=1", f: "＝1+1", n: "-12.5e3", t: "a=b" };
	const { url } = await uploadJson(server, { name: "formulas", inputs: [input] });
	const rowOf = async (query: string) =>
		((await server.get(`${url}/csv${query}`)).text.split("\r\n")[1] ?? "").split(",").slice(2);
	expect(await rowOf("?escape_formulas=false")).toEqual(Object.values(input));
	const escaped = ["'=HYPERLINK(1)", "'@x", "'+1-1", "'-2+3", "'\t=1", "'＝1+1", "-12.5e3", "a=b"];
	expect(await rowOf("")).toEqual(escaped);
	expect(await rowOf("?escape_formulas=true")).toEqual(escaped);
});

it("keeps splits apart by dataset, and their examples by version", async () => {
	const { url, versionId } = await uploadJson(server, { name: "split", inputs: [{}, {}], example_ids: ["a", "b"] });
	const other = await uploadJson(server, { name: "split too", inputs: [] });
	const made = await server.call("POST", `${url}/splits`, { name: " dev ", example_ids: ["a"] });
	expect([made.status, made.json.data]).toMatchObject([201, { name: "dev", color: "#33c5e8", example_count: 1 }]);
	expect((await server.call("POST", `${other.url}/splits`, { name: "dev" })).status).toBe(201);
	const again = await server.call("POST", `${url}/splits`, { name: "dev" });
	expect([again.status, again.text]).toEqual([409, "A dataset split named 'dev' already exists"]);
	const unknown = await server.call("POST", `${url}/splits`, { name: "x", example_ids: ["zz"] });
	expect([unknown.status, unknown.text]).toEqual([404, "Dataset examples not found in this dataset: zz"]);
	const one = `${url}/splits/${made.json.data.id}`;
	expect((await server.call("PATCH", `${other.url}/splits/${made.json.data.id}`, {})).status).toBe(404);
	const moved = await server.call("PATCH", one, {
		name: "test",
		add_example_ids: ["a", "b"],
		remove_example_ids: ["a"],
	});
	expect(moved.json.data).toMatchObject({ name: "test", example_count: 1 });
	const [version] = (await server.get(`${url}/versions`)).json.data;
	expect(version).toMatchObject({ created_count: 0, updated_count: 2, deleted_count: 0 });
	expect((await server.call("DELETE", one)).status).toBe(204);
	expect((await server.get(`${url}/splits`)).json.data).toEqual([]);
	expect((await server.get(`${url}/examples?split=test`)).status).toBe(404);
	const [example] = await examplesOf(server, url, `?split=test&version_id=${version.version_id}`);
	expect(example.id).toBe("b");
	expect((await server.get(`${url}/examples?split=test&version_id=${versionId}`)).status).toBe(404);
});

it("refuses to change or delete a label on the basis of an outdated state", async () => {
	const { json } = await server.call("POST", "/v1/dataset_labels", { name: "seen", color: "#00ff00" });
	const url = `/v1/dataset_labels/${json.data.id}`;
	const seen = { "if-match": String((await server.get(url)).headers["etag"]) };
	const first = await server.call("PATCH", url, { description: "mine" }, seen);
	const second = await server.call("PATCH", url, { description: "theirs" }, seen);
	const third = await server.call("DELETE", url, undefined, seen);
	expect([first.status, second.status, third.status]).toEqual([200, 412, 412]);
	const last = await server.call("DELETE", url, undefined, { "if-match": String(first.headers["etag"]) });
	expect(last.status).toBe(204);
});

it("labels datasets", async () => {
	const { url } = await uploadJson(server, { name: "labelled", inputs: [] });
	const made = await server.call("POST", "/v1/dataset_labels", { name: "good", color: "#00ff00" });
	expect(made.status).toBe(201);
	expect((await server.call("POST", "/v1/dataset_labels", { name: "good", color: "#00ff00" })).status).toBe(409);
	expect((await server.call("POST", "/v1/dataset_labels", { name: "x", color: "#00FF00" })).status).toBe(422);
	const { id } = made.json.data;
	const set = await server.call("PUT", `${url}/labels`, { dataset_label_ids: [id, id] });
	expect(set.json.data).toEqual([made.json.data]);
	expect((await server.call("PUT", `${url}/labels`, { dataset_label_ids: ["RGF0YXNldExhYmVsOjk5OQ=="] })).status).toBe(
		404,
	);
	expect((await server.get("/v1/datasets/labelled/labels")).json.data).toHaveLength(1);
	const patched = await server.call("PATCH", `/v1/dataset_labels/${id}`, { description: "d" });
	expect(patched.json.data).toEqual({ id, name: "good", color: "#00ff00", description: "d" });
	const nothing = await server.call("PATCH", `/v1/dataset_labels/${id}`, { name: null });
	expect([nothing.status, nothing.text]).toEqual([422, "No fields to update"]);
	expect((await server.call("DELETE", `${url}/labels/${id}`)).status).toBe(204);
	expect((await server.call("DELETE", `${url}/labels/${id}`)).status).toBe(204);
	expect((await server.call("DELETE", `/v1/dataset_labels/${id}`)).status).toBe(204);
});

it("deletes a dataset with its experiments and their traces, also when the deletion was interrupted", async () => {
	const { db } = server.context;
	for (const interrupted of [false, true]) {
		const { url, datasetId } = await uploadJson(server, { name: "leaving", inputs: [{}] });
		const experiment = (await server.call("POST", `${url}/experiments`, {})).json.data;
		await server.send([{ name: "task", traceId: "d".repeat(32) }], experiment.project_name);
		if (interrupted) {
			await db.write((transaction) => hideDataset(transaction, rowOf(datasetId)));
			expect((await server.get(url)).status).toBe(404);
			await finish(server.context, await findUnfinished(db), new AbortController().signal);
		} else expect((await server.call("DELETE", url)).status).toBe(204);
		expect((await server.get(url)).status).toBe(404);
		expect((await server.get(`/v1/experiments/${experiment.id}`)).status).toBe(404);
		expect((await server.get(`/v1/projects/${experiment.project_name}`)).status).toBe(404);
		const rows = await db.read
			.selectFrom("dataset_examples")
			.select("id")
			.where("dataset_id", "=", rowOf(datasetId))
			.execute();
		expect(rows).toEqual([]);
	}
	const gone = await server.call("DELETE", "/v1/datasets/RGF0YXNldDo5OTk=");
	expect([gone.status, gone.text]).toEqual([404, "Dataset does not exist"]);
});

it("shows nothing of an interrupted upload, and discards it at the next start", async () => {
	const { db } = server.context;
	const first = await uploadJson(server, { name: "interrupted", inputs: [{ q: 1 }, { q: 2 }], splits: ["x", "x"] });
	const second = await uploadJson(server, {
		name: "interrupted",
		action: "update",
		inputs: [{ q: 1 }, { q: 3 }],
		splits: ["x", "y"],
	});
	const [datasetId, versionId] = [rowOf(first.datasetId), rowOf(second.versionId)];
	// As if the process had ended just before the version's row.
	await db.write(async (transaction) => {
		await transaction.deleteFrom("dataset_versions").where("id", "=", versionId).execute();
		await transaction.updateTable("dataset_splits").set({ deleted_at: 1 }).where("name", "=", "y").execute();
		await transaction
			.insertInto("dataset_uploads")
			.values({ version_id: versionId, dataset_id: datasetId, started_at: 1 })
			.execute();
	});
	const before = await examplesOf(server, first.url);
	expect(before.map((example: { input: object; splits: string[] }) => [example.input, example.splits])).toEqual([
		[{ q: 1 }, ["x"]],
		[{ q: 2 }, ["x"]],
	]);
	const { uploads } = await findUnfinished(db);
	expect(uploads).toEqual([{ datasetId, versionId }]);
	for (const upload of uploads) await discardUpload(server.context, upload);
	expect(await examplesOf(server, first.url)).toEqual(before);
	expect((await server.get(`${first.url}/splits`)).json.data).toMatchObject([{ name: "x", example_count: 2 }]);
	const third = await uploadJson(server, { name: "interrupted", action: "append", inputs: [{ q: 3 }] });
	expect(third.done).toEqual([1, 0, 0]);
	await db.write((transaction) => hideDataset(transaction, datasetId));
	await deleteDataset(server.context, datasetId);
});

it("refuses a table in which each column name would contain a long key", async () => {
	const inner = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`k${number}`, 1]));
	const { url } = await uploadJson(server, { name: "long keys", inputs: [{ ["a".repeat(100_000)]: inner }] });
	const answer = await server.get(`${url}/csv`);
	expect([answer.status, answer.text.slice(0, 40)]).toEqual([422, "The examples have more than 5000 differe"]);
	expect((await server.get(`${url}/jsonl`)).status).toBe(200);
});

it("ends a page of an example's revisions early where they are long", async () => {
	const { url } = await uploadJson(server, { name: "much", inputs: [{}], example_ids: ["a"] });
	for (let version = 0; version < 5; version += 1) {
		const body = { input: { version, long: "x".repeat(7_500_000) } };
		expect((await server.call("PATCH", `${url}/examples/a`, body)).status).toBe(200);
	}
	const versionsOf = (page: { data: { input: { version?: number } }[] }) => page.data.map(({ input }) => input.version);
	const first = (await server.get(`${url}/examples/a/revisions?limit=1000`)).json;
	expect(versionsOf(first)).toEqual([4, 3, 2, 1]);
	const { json } = await server.get(`${url}/examples/a/revisions?limit=1000&cursor=${first.next_cursor}`);
	expect([versionsOf(json), json.next_cursor]).toEqual([[0, undefined], null]);
});

it("refuses metadata that would make lists of datasets and splits long", async () => {
	const { url } = await uploadJson(server, { name: "metadata", inputs: [{}] });
	const metadata = { long: "x".repeat(65_536) };
	expect((await server.call("PATCH", url, { metadata })).status).toBe(422);
	expect((await server.call("POST", `${url}/splits`, { name: "s", metadata })).status).toBe(422);
});
