import {
	ConflictError,
	createEvaluator,
	evaluateExperiment,
	exactMatch,
	formatPrompt,
	InvalidRequestError,
	NotFoundError,
	PermissionError,
	PreconditionFailedError,
	type PromptVersionDataInput,
	promptVersion,
	ResultsNotStoredError,
	resumeExperiment,
	runExperiment,
	Spanward,
	storeResults,
	toOpenAI,
} from "@spanward/client";
import { createTracerProvider } from "@spanward/otel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN_SECRET, createUserKey, logInAs } from "./access/accounts.ts";
import { startServer, type TestServer } from "./server.ts";

const WITH_AUTHENTICATION = process.env["E2E_AUTHENTICATION"] === "true";
const START = Date.UTC(2026, 2, 1);

let server: TestServer;
let spanward: Spanward;

beforeAll(async () => {
	server = await startServer(WITH_AUTHENTICATION ? { env: { SERVICE_ADMIN_SECRET: ADMIN_SECRET } } : {});
	spanward = clientWith(server.key);
});
afterAll(async () => server[Symbol.asyncDispose]());

function clientWith(key: string | undefined): Spanward {
	return new Spanward({ baseUrl: server.url, ...(key === undefined ? {} : { apiKey: key }) });
}

function newSpan(number: number, name: string, extra: { kind?: string; attributes?: Record<string, unknown> } = {}) {
	const hex = (0xb000 + number).toString(16);
	return {
		name,
		context: { trace_id: hex.padStart(32, "0"), span_id: hex.padStart(16, "0") },
		span_kind: extra.kind ?? "CHAIN",
		start_time: new Date(START + number * 1_000).toISOString(),
		end_time: new Date(START + number * 1_000 + 500).toISOString(),
		status_code: "OK",
		attributes: extra.attributes ?? {},
	};
}

test("projects are made, found, listed and deleted, and errors are of their own classes", async () => {
	const made = await spanward.projects.create({ name: "js projects", description: "of a test" });
	expect(await spanward.projects.get("js projects")).toEqual(made);
	const listed = await spanward.projects.list({ name_contains: "JS proj" }).toArray();
	expect(listed.map(({ name }) => name)).toEqual(["js projects"]);
	await expect(spanward.projects.create({ name: "js projects" })).rejects.toBeInstanceOf(ConflictError);
	await expect(spanward.projects.get("nobody")).rejects.toBeInstanceOf(NotFoundError);
});

test("questions about many spans are answered, with filters that lead to them", async () => {
	const llm = (number: number, model: string) =>
		newSpan(number, "call", { kind: "LLM", attributes: { "llm.model_name": model } });
	await spanward.spans.create("js analytics", [llm(50, "small"), llm(51, "small"), llm(52, "large")]);
	const times = { start_time: new Date(START).toISOString(), end_time: new Date(START + 86_400_000).toISOString() };
	const ask = (project?: string | string[]) =>
		spanward.analytics.query(project, { ...times, group_by: ["model"], measure: ["count", "latency_avg"], limit: 1 });
	await expect.poll(async () => (await ask("js analytics")).all.totals["count"]).toBe(3);
	const { series, others, is_partial } = await ask(["js analytics"]);
	expect(series[0]?.totals).toEqual({ count: 2, latency_avg: 500 });
	expect([others?.groups, is_partial]).toEqual([1, false]);
	const filter = series[0]?.drill_down?.filter ?? "";
	expect(await spanward.spans.list("js analytics", { filter }).toArray()).toHaveLength(2);
	const { rows } = await spanward.analytics.schema();
	expect(rows.map(({ of }) => of)).toContain("annotations");
	await expect(spanward.analytics.query("js analytics", { measure: ["cuont"] })).rejects.toBeInstanceOf(
		InvalidRequestError,
	);
	expect((await ask()).series.length).toBeGreaterThan(0);
});

test("values of fields, keys, and end users are counted", async () => {
	const project = "js facets";
	const name = "müller/1?&#%";
	const call = (number: number, model: string, user: string) =>
		newSpan(number, "call", { kind: "LLM", attributes: { "llm.model_name": model, "user.id": user } });
	await spanward.spans.create(project, [call(60, "small", "ann"), call(61, "small", name), call(62, "large", name)]);
	await expect.poll(() => spanward.spans.list(project).toArray()).toHaveLength(3);
	const times = { start_time: new Date(START).toISOString(), end_time: new Date(START + 86_400_000).toISOString() };
	const options = { ...times, filter: "model == 'small'" };
	const [models, kinds] = await spanward.analytics.facets(project, ["model", "kind"], options);
	expect(models?.values.map(({ value, count }) => [value, count])).toEqual([
		["small", 2],
		["large", 1],
	]);
	expect(kinds).toMatchObject({ values: [{ label: "LLM", count: 2 }], is_partial: false });
	const keys = await spanward.analytics.attributeKeys(project, { prefix: "LLM.m" });
	expect(keys).toMatchObject([{ key: "llm.model_name", in: "attributes", share: 1 }]);
	const users = spanward.endUsers.list(project, { ...times, sort: "traces", limit: 1 });
	expect((await users.toArray()).map(({ user_id, trace_count }) => [user_id, trace_count])).toEqual([
		[name, 2],
		["ann", 1],
	]);
	expect(users.isPartial).toBe(false);
	expect(await spanward.endUsers.get(project, name, times)).toMatchObject({ trace_count: 2, is_partial: false });
	await expect(spanward.endUsers.get(project, "nobody", times)).rejects.toBeInstanceOf(NotFoundError);
});

test("groups of errors are found, worked through, merged, taken apart and talked about", async () => {
	const project = "js errors";
	const failing = (number: number, message: string) => ({
		...newSpan(number, "answer", { attributes: { "user.id": `user ${number}`, release: "2.0" } }),
		status_code: "ERROR",
		status_message: message,
	});
	await spanward.spans.create(project, [failing(70, "no city"), failing(71, "no city"), failing(72, "no country")]);
	const list = () => spanward.errorGroups.list(project, { sort: "count", limit: 1 }).toArray();
	await expect.poll(list, { timeout: 240_000, interval: 500 }).toHaveLength(2);
	const [city, country] = await list();
	if (city === undefined || country === undefined) throw new Error("there are two groups");
	expect(city).toMatchObject({ count: 2, user_count: 2, state: "open", releases: ["2.0"] });
	const { errorGroups } = spanward;
	expect((await errorGroups.occurrences(city.id, { limit: 1 }).toArray()).map(({ user_id }) => user_id)).toEqual([
		"user 71",
		"user 70",
	]);

	const { data, etag } = await errorGroups.getWithEtag(city.id);
	expect(data.grouping.normalized_message).toBe("no city");
	const resolved = await errorGroups.resolve(city.id, { release: "2.1", ifMatch: etag });
	expect(resolved).toMatchObject({ state: "resolved", resolved_in_release: "2.1" });
	await expect(errorGroups.reopen(city.id, { ifMatch: etag })).rejects.toBeInstanceOf(PreconditionFailedError);
	const ignored = await errorGroups.ignore(city.id, { until: { occurrences: 5 } });
	expect(ignored.ignore_until).toEqual({ time: null, occurrences: 5, users: null });
	const admin = clientWith(server.adminKey);
	if (WITH_AUTHENTICATION) expect((await admin.errorGroups.assign(city.id, "me")).assignee?.username).toBe("admin");
	expect((await errorGroups.assign(city.id, null)).assignee).toBeNull();
	const results = await errorGroups.updateMany([city.id, country.id, "RXJyb3JHcm91cDo5OTk5OTk="], { state: "open" });
	expect(results.map(({ status }) => status)).toEqual(["changed", "unchanged", "not_found"]);

	expect((await errorGroups.similar(city.id)).map(({ id }) => id)).toEqual([country.id]);
	expect((await errorGroups.merge(city.id, [country.id])).count).toBe(3);
	const apart = await errorGroups.unmerge(city.id, [country.fingerprint]);
	expect(apart.map(({ count }) => count)).toEqual([2, 1]);
	const actions = (await errorGroups.activity(city.id).toArray()).map(({ action }) => action);
	expect([actions[0], actions.at(-1)]).toEqual(["unmerged", "resolved"]);
	const comment = await errorGroups.comment(city.id, "look at **this**");
	await errorGroups.updateComment(comment.id, "done");
	expect(await errorGroups.comments(city.id).toArray()).toMatchObject([{ id: comment.id, text: "done" }]);
	await errorGroups.deleteComment(comment.id);
	expect(await errorGroups.comments(city.id).toArray()).toEqual([]);
});

test("dashboards are made, replaced, exported and imported, and views saved", async () => {
	const { dashboards, views } = spanward;
	const project = "js dashboards";
	await spanward.projects.create({ name: project });
	const query = { measure: ["cost_total"], group_by: ["model"] };
	const layout = { x: 0, y: 0, w: 12, h: 5 };
	const made = await dashboards.create({
		name: "Our week",
		project_id: project,
		widgets: [{ key: "cost", kind: "time_series", title: "Cost", query, layout }],
	});
	const listed = await dashboards.list({ project }).toArray();
	expect(listed.filter(({ is_built_in }) => !is_built_in).map(({ id }) => id)).toEqual([made.id]);
	const { data, etag } = await dashboards.getWithEtag(made.id);
	const changed = await dashboards.replace(made.id, { ...data, range: "30d" }, { ifMatch: etag });
	expect(changed).toMatchObject({ range: "30d", widgets: [{ key: "cost", query }] });
	const late = dashboards.replace(made.id, data, { ifMatch: etag });
	await expect(late).rejects.toBeInstanceOf(PreconditionFailedError);
	await expect(dashboards.delete(made.id, { ifMatch: etag })).rejects.toBeInstanceOf(PreconditionFailedError);
	const file = await dashboards.export(made.id);
	const imported = await dashboards.import(file, { project });
	expect(await dashboards.export(imported.id)).toEqual({ ...file, name: "Our week (2)" });
	const built = await dashboards.get("builtin:cost", { project });
	expect((await dashboards.create({ ...built, name: "Our costs" })).is_built_in).toBe(false);
	await dashboards.delete(made.id);
	await expect(dashboards.get(made.id)).rejects.toBeInstanceOf(NotFoundError);

	const view = await views.create({ name: "Slow", page: "spans", project, state: { filter: "latency_ms > 5000" } });
	await views.update(view.id, { name: "Slower" });
	expect(await views.list({ project, page: "spans" }).toArray()).toMatchObject([{ id: view.id, name: "Slower" }]);
	const admin = clientWith(server.adminKey);
	expect(await admin.views.setDefaults(project, { spans: view.id })).toEqual(await views.defaults(project));
	await admin.views.delete(view.id);
	await expect(views.get(view.id)).rejects.toBeInstanceOf(NotFoundError);
});

test("a review queue is filled, reviewed, and says how far reviewers agree", async () => {
	const admin = clientWith(server.adminKey);
	const { reviewQueues } = admin;
	const project = "js reviews";
	const spans = [newSpan(400, "ask"), newSpan(401, "ask"), newSpan(402, "other")];
	await spanward.spans.create(project, spans);
	await expect.poll(() => spanward.spans.list(project).toArray()).toHaveLength(3);
	const config = (await admin.annotationConfigs.create({
		...{ name: "js verdict", type: "CATEGORICAL", optimization_direction: "MAXIMIZE" },
		values: [{ label: "good", score: 1 }, { label: "bad" }],
	})) as { id: string };
	const questions = [{ annotation_config_id: config.id, note: true }];
	const queue = await reviewQueues.create({ name: "js queue", target: "span", questions });
	const targets = [{ span_id: spans[0]?.context.span_id ?? "", project }];
	expect(await reviewQueues.add(queue.id, targets)).toEqual({ added: 1, present: 0 });
	await reviewQueues.fill(queue.id, { project, filter: "name == 'ask'" });
	await expect.poll(() => reviewQueues.items(queue.id).toArray()).toHaveLength(2);

	const first = await reviewQueues.next(queue.id);
	const item = first?.item.id ?? "";
	await reviewQueues.release(queue.id, item);
	expect((await reviewQueues.next(queue.id))?.item.id).toBe(item);
	const answer = { annotation_config_id: config.id, label: "good", explanation: "It says why." };
	expect((await reviewQueues.submit(queue.id, item, [answer], { seconds: 4 })).state).toBe("done");
	const second = await reviewQueues.next(queue.id);
	await reviewQueues.skip(queue.id, second?.item.id ?? "", "not sure");
	expect(await reviewQueues.next(queue.id)).toBeUndefined();
	const late = reviewQueues.submit(queue.id, second?.item.id ?? "", [answer]);
	await expect(late).rejects.toBeInstanceOf(ConflictError);
	await reviewQueues.decide(queue.id, second?.item.id ?? "", [{ ...answer, label: "bad" }]);

	expect(await reviewQueues.progress(queue.id)).toMatchObject({ items: 2, done: 2, reviews: 1, median_seconds: 4 });
	expect((await reviewQueues.agreement(queue.id)).questions).toMatchObject([{ name: "js verdict" }]);
	expect((await reviewQueues.calibration(queue.id, "judge")).gold_items).toBe(2);
	expect(await reviewQueues.itemExample(queue.id, item)).toMatchObject({ input: expect.anything() });
	const gold = await reviewQueues.goldToDataset(queue.id, { dataset_name: "js gold" });
	const state = async () => (await reviewQueues.goldRun(queue.id, gold.id)).state;
	await expect.poll(state).toBe("done");
	const examples = await spanward.datasets.examples("js gold");
	expect(examples.map(({ output }) => output)).toEqual([{ "js verdict": "good" }, { "js verdict": "bad" }]);
	expect(await reviewQueues.goldRuns(queue.id).toArray()).toHaveLength(1);
	await reviewQueues.cancelGoldRun(queue.id, gold.id);
	expect(await state()).toBe("done");
	const exported = await reviewQueues.export(queue.id);
	expect(exported.map(({ source, label }) => [source, label])).toEqual([
		["review", "good"],
		["decision", "bad"],
	]);
	const rule = { project, filter: "name == 'other'", sample: 1, enabled: false };
	expect(await reviewQueues.setRule(queue.id, rule)).toMatchObject({ sample: 1, enabled: false });
	expect(await reviewQueues.rule(queue.id)).toMatchObject({ filter: rule.filter });
	await reviewQueues.deleteRule(queue.id);

	const { etag } = await reviewQueues.getWithEtag(queue.id);
	expect((await reviewQueues.update(queue.id, { archived: true }, { ifMatch: etag })).archived_at).not.toBeNull();
	await expect(reviewQueues.update(queue.id, { name: "late" }, { ifMatch: etag })).rejects.toBeInstanceOf(
		PreconditionFailedError,
	);
	await reviewQueues.delete(queue.id, { deleteAnnotations: true });
	await expect(reviewQueues.get(queue.id)).rejects.toBeInstanceOf(NotFoundError);
});

test("runs of an experiment are reviewed", async () => {
	const { annotationConfigs, reviewQueues } = clientWith(server.adminKey);
	const config = (await annotationConfigs.create({ name: "js remark", type: "FREEFORM" })) as { id: string };
	await spanward.datasets.create({ name: "js reviewed", examples: [{ input: { n: 1 } }, { input: { n: 2 } }] });
	const { experiment } = await runExperiment({
		dataset: "js reviewed",
		task: ({ input }) => input["n"],
		client: spanward,
	});
	const [run] = (await spanward.experiments.runs(experiment.id).toArray()).toReversed();
	const questions = [{ annotation_config_id: config.id }];
	const queue = await reviewQueues.create({ name: "js runs", target: "experiment_run", questions });
	expect(await reviewQueues.add(queue.id, [{ experiment_run_id: run?.id ?? "" }])).toEqual({ added: 1, present: 0 });
	expect(await reviewQueues.addExperiment(queue.id, experiment.id)).toEqual({ added: 1, present: 1 });
	const turn = await reviewQueues.next(queue.id);
	expect(turn?.item.target.id).toBe(run?.id);
	const answer = { annotation_config_id: config.id, explanation: "Right." };
	await reviewQueues.submit(queue.id, turn?.item.id ?? "", [answer]);
	expect(await spanward.experiments.getRun(run?.id ?? "")).toMatchObject({
		...{ evaluations: [], reviews: [{ name: "js remark", explanation: "Right.", is_decision: false }] },
	});
	await reviewQueues.delete(queue.id);
});

test("spans, traces and sessions are filtered, read page by page, moved and deleted", async () => {
	const spans = [
		newSpan(1, "ask", { kind: "LLM", attributes: { "session.id": "js session", "llm.model_name": "gpt-4o" } }),
		newSpan(2, "other"),
	];
	expect(await spanward.spans.create("js traces", spans)).toBe(2);
	await expect.poll(() => spanward.traces.list("js traces", { limit: 1 }).toArray()).toHaveLength(2);
	const found = await spanward.spans.list("js traces", { filter: "llm.model_name == 'gpt-4o'" }).toArray();
	expect(found.map(({ name }) => name)).toEqual(["ask"]);
	const { trace_id: traceId } = spans[1]?.context ?? { trace_id: "" };
	expect((await spanward.traces.get("js traces", traceId)).root_name).toBe("other");
	await spanward.projects.create({ name: "js moved" });
	expect(await spanward.traces.move([traceId], "js moved")).toBe(1);
	await spanward.traces.delete(traceId);
	expect(await spanward.traces.list("js moved").toArray()).toEqual([]);
	expect((await spanward.sessions.get("js session")).session_id).toBe("js session");
	await spanward.sessions.delete("js session");
	expect(await spanward.sessions.list("js traces").toArray()).toEqual([]);
});

test("annotations are written over, read, changed and deleted, and wait for what has not come", async () => {
	const { context } = newSpan(10, "annotated");
	const quality = { span_id: context.span_id, name: "quality", annotator_kind: "HUMAN" as const };
	expect(await spanward.annotations.logSpans([{ ...quality, result: { score: 1 } }], { wait: false })).toEqual([]);
	const waiting = await spanward.annotations.waiting().toArray();
	expect(waiting).toContainEqual(expect.objectContaining({ target_id: context.span_id }));
	await spanward.spans.create("js annotations", [newSpan(10, "annotated")]);
	const read = () => spanward.annotations.ofSpans("js annotations", [context.span_id]).toArray();
	await expect.poll(async () => (await read().catch(() => [])).length).toBe(1);
	const [id = ""] = await spanward.annotations.logSpans([{ ...quality, result: { label: "good" } }]);
	expect(await read()).toMatchObject([{ id, result: { label: "good", score: null } }]);
	await spanward.annotations.update(id, { result: { score: 0.5 } });
	expect(await spanward.annotations.get(id)).toMatchObject({ result: { label: "good", score: 0.5 } });
	expect(await spanward.annotations.noteTrace(context.trace_id, "a note")).not.toBe("");
	await spanward.annotations.delete(id);
	await expect(spanward.annotations.get(id)).rejects.toBeInstanceOf(NotFoundError);
});

test("datasets are made, added to, replaced and changed example by example", async () => {
	const made = await spanward.datasets.create({
		name: "js dataset",
		examples: [
			{ input: { q: "1+1" }, output: { a: 2 }, splits: "train", id: "one" },
			{ input: { q: "2+2" }, output: { a: 4 } },
		],
	});
	expect(made.example_count).toBe(2);
	await expect(spanward.datasets.create({ name: "js dataset" })).rejects.toBeInstanceOf(ConflictError);
	expect((await spanward.datasets.append("js dataset", [{ input: { q: "3+3" } }])).example_count).toBe(3);
	await spanward.datasets.updateExample("js dataset", "one", { output: { a: "two" } });
	const train = await spanward.datasets.examples("js dataset", { splits: ["train"] });
	expect(train).toMatchObject([{ id: "one", output: { a: "two" } }]);
	const versions = await spanward.datasets.versions("js dataset");
	expect(versions).toHaveLength(3);
	const versionId = versions.at(-1)?.version_id ?? "";
	expect(await spanward.datasets.examples("js dataset", { versionId })).toHaveLength(2);
	expect(
		(await spanward.datasets.replace("js dataset", [{ input: { q: "2+2" }, output: { a: 4 } }])).example_count,
	).toBe(1);
	await spanward.datasets.delete("js dataset");
	await expect(spanward.datasets.get("js dataset")).rejects.toBeInstanceOf(NotFoundError);
});

test("an experiment records what fails, is resumed, and its runs are traces", async () => {
	await spanward.datasets.create({
		name: "js capitals",
		examples: ["Paris", "Rome", "Madrid"].map((capital) => ({ input: { capital }, output: { capital } })),
	});
	let isBroken = true;
	const experiment = {
		task: ({ input }: { input: Record<string, unknown> }) => {
			if (isBroken && input["capital"] === "Rome") throw new RangeError("no map");
			return "Paris";
		},
		evaluators: [exactMatch, createEvaluator({ name: "length", evaluate: ({ output }) => String(output).length })],
		client: spanward,
	};
	const phases: string[] = [];
	const first = await runExperiment({
		...experiment,
		dataset: "js capitals",
		repetitions: 2,
		onProgress: ({ phase, done, total, failed }) => phases.push(`${phase} ${done}/${total} ${failed}`),
	});
	expect(phases).toContain("tasks 6/6 2");
	expect(phases).toContain("evaluations 8/8 0");
	expect(first.runs.filter(({ error }) => error !== null).map(({ error }) => error)).toEqual([
		"RangeError: no map",
		"RangeError: no map",
	]);
	isBroken = false;
	const { runs, experiment: finished } = await resumeExperiment({ ...experiment, experimentId: first.experiment.id });
	expect(finished).toMatchObject({ successful_run_count: 6, failed_run_count: 0, missing_run_count: 0 });
	expect(finished.scores).toMatchObject({ length: { mean: 5 } });
	const project = finished.project_name ?? "";
	const traces = await spanward.traces.list(project).toArray();
	expect(traces.map(({ trace_id }) => trace_id)).toEqual(expect.arrayContaining(runs.map(({ trace_id }) => trace_id)));
	await spanward.experiments.delete(finished.id, { deleteProject: true });
	await expect(spanward.projects.get(project)).rejects.toBeInstanceOf(NotFoundError);
});

/** The server, which does not take so many results of experiments. */
function refusing(refusals: number): typeof fetch {
	let left = refusals;
	return async (input, init) => {
		if (left > 0 && init?.method === "POST" && String(input).endsWith("/runs")) {
			left -= 1;
			return Response.json({ detail: "busy", code: "busy" }, { status: 503 });
		}
		return await fetch(input, init);
	};
}

test("results are kept until the server takes them, and those that it does not are named", async () => {
	const examples = ["France", "Italy", "Spain"].map((country) => ({ input: { country } }));
	await spanward.datasets.create({ name: "js refused results", examples });
	let answered = 0;
	const options = {
		dataset: "js refused results",
		task: ({ input }: { input: Record<string, unknown> }) => {
			answered += 1;
			return input["country"];
		},
		concurrency: 1,
		trace: false,
	};
	const through = (refusals: number) =>
		new Spanward({
			baseUrl: server.url,
			...(server.key === undefined ? {} : { apiKey: server.key }),
			fetch: refusing(refusals),
			retries: { attempts: 1 },
		});
	const { runs } = await runExperiment({ ...options, client: through(2) });
	expect(runs.map(({ output }) => output).toSorted()).toEqual(["France", "Italy", "Spain"]);
	const client = through(5);
	const error = await runExperiment({ ...options, client }).catch((reason: unknown) => reason);
	if (!(error instanceof ResultsNotStoredError)) throw error;
	expect(error.results).toHaveLength(2);
	expect(error.message).toMatch(/^not stored: example .+, repetition 1, example .+ \(.*busy\)$/);
	await storeResults(error.results, { client });
	const [experiment] = await spanward.experiments.list().toArray(1);
	expect(experiment).toMatchObject({ successful_run_count: 3, missing_run_count: 0 });
	expect(answered).toBe(6);
});

test("a dry run stores nothing, and evaluators can come later", async () => {
	const examples = ["France", "Italy"].map((country) => ({ input: { country }, output: { country } }));
	const dataset = await spanward.datasets.create({ name: "js dry run", examples });
	const options = { dataset, task: () => "France", client: spanward, trace: false };
	const tried = await runExperiment({ ...options, evaluators: [exactMatch], dryRun: true });
	expect(tried.runs).toMatchObject([{ output: "France", evaluations: [{ name: "exact_match", score: 1 }] }]);
	expect(await spanward.experiments.list({ datasetId: dataset.id }).toArray()).toEqual([]);
	const { experiment } = await runExperiment(options);
	const judged = await evaluateExperiment({ experimentId: experiment.id, evaluators: [exactMatch], client: spanward });
	expect(judged.experiment.scores).toMatchObject({ exact_match: { mean: 0.5, count: 2 } });
});

test("annotations of more spans than an address has room for are read", async () => {
	const spans = Array.from({ length: 1_100 }, (_, number) => newSpan(0x1000 + number, "many"));
	await spanward.spans.create("js many annotated", spans);
	const ids = spans.map(({ context }) => context.span_id);
	const seen = ids.map((id) => ({ span_id: id, name: "seen", annotator_kind: "CODE" as const, result: { score: 1 } }));
	expect(await spanward.annotations.logSpans(seen)).toHaveLength(1_100);
	const read = await spanward.annotations.ofSpans("js many annotated", ids, { excludeNames: ["note"] }).toArray();
	expect(new Set(read.map((annotation) => annotation.span_id))).toEqual(new Set(ids));
	expect(await spanward.annotations.ofSpans("js many annotated", []).toArray()).toEqual([]);
});

test("a prompt is what OpenAI's chat completions take", async () => {
	const call = { id: "a", type: "function", function: { name: "look", arguments: "{}" } };
	const version = promptVersion({
		modelProvider: "OPENAI",
		modelName: "gpt-4o",
		parameters: { temperature: 0.5 },
		messages: [
			{ role: "user", content: "What is it like in {{city}}?" },
			{
				role: "assistant",
				content: [
					{ type: "tool_call", tool_call_id: "a", tool_call: { type: "function", name: "look", arguments: "{}" } },
				],
			},
			{ role: "tool", content: [{ type: "tool_result", tool_call_id: "a", tool_result: "sunny" }] },
		],
		tools: {
			type: "tools",
			tools: [{ type: "function", function: { name: "look" } }],
			tool_choice: { type: "specific_function", function_name: "look" },
			disable_parallel_tool_calls: true,
		},
	});
	const made = await spanward.prompts.create({ prompt: { name: "js-openai" }, version });
	expect(toOpenAI(made, { city: "Rome" })).toEqual({
		model: "gpt-4o",
		temperature: 0.5,
		messages: [
			{ role: "user", content: "What is it like in Rome?" },
			{ role: "assistant", content: null, tool_calls: [call] },
			{ role: "tool", tool_call_id: "a", content: "sunny" },
		],
		tools: [{ type: "function", function: { name: "look" } }],
		tool_choice: { type: "function", function: { name: "look" } },
		parallel_tool_calls: false,
	});
});

test("prompts have versions and tags, and are filled in", async () => {
	const version: PromptVersionDataInput = {
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		template_type: "CHAT",
		template_format: "MUSTACHE",
		template: { type: "chat", messages: [{ role: "user", content: "Say {{ word }}." }] },
		invocation_parameters: { type: "openai", openai: { temperature: 0 } },
	};
	const made = await spanward.prompts.create({ prompt: { name: "js-prompt" }, version });
	await spanward.prompts.tag(made.id, { name: "production" });
	const tagged = await spanward.prompts.get("js-prompt", { tag: "production" });
	expect(formatPrompt(tagged, { word: "hi" })).toEqual([{ role: "user", content: "Say hi." }]);
	expect(() => formatPrompt(tagged)).toThrow("the prompt needs word");
	const newer = await spanward.prompts.create({
		prompt: { name: "js-prompt" },
		version: { ...version, model_name: "gpt-5" },
	});
	expect((await spanward.prompts.get("js-prompt")).id).toBe(newer.id);
	expect(await spanward.prompts.versions("js-prompt").toArray()).toHaveLength(2);
	expect(JSON.stringify(await spanward.prompts.diff(newer.id, made.id))).toContain("gpt-5");
	await spanward.prompts.delete("js-prompt");
});

test.each(["http/protobuf", "grpc"] as const)("@spanward/otel sends over %s", async (protocol) => {
	const grpc = server.grpcAddress.includes("://") ? server.grpcAddress : `http://${server.grpcAddress}`;
	const provider = createTracerProvider({
		projectName: `js otel ${protocol}`,
		endpoint: protocol === "grpc" ? grpc : server.url,
		protocol,
		...(server.key === undefined ? {} : { apiKey: server.key }),
	});
	provider.getTracer("test").startSpan("sent").end();
	await provider.shutdown();
	const spans = await spanward.spans.list(`js otel ${protocol}`).toArray();
	expect(spans.map(({ name }) => name)).toEqual(["sent"]);
});

test("@spanward/otel sends spans while they run, and short ones once", async () => {
	const provider = createTracerProvider({
		projectName: "js running",
		endpoint: server.url,
		running: { delayMs: 1 },
		...(server.key === undefined ? {} : { apiKey: server.key }),
	});
	const tracer = provider.getTracer("test");
	const agent = tracer.startSpan("agent", { attributes: { "input.value": "why?" } });
	tracer.startSpan("short").end();
	await provider.forceFlush();
	const states = async () => {
		const spans = await spanward.spans.list("js running").toArray();
		return new Map(spans.map(({ name, state, latency_ms }) => [name, [state, latency_ms !== null]]));
	};
	expect(await states()).toEqual(
		new Map([
			["agent", ["running", false]],
			["short", ["ended", true]],
		]),
	);
	agent.end();
	await provider.shutdown();
	expect((await states()).get("agent")).toEqual(["ended", true]);
});

describe.runIf(WITH_AUTHENTICATION)("with a viewer's key", () => {
	test("everything can be read and nothing changed", async () => {
		const viewer = clientWith(await createUserKey(await logInAs(server, "VIEWER")));
		for (const read of [
			viewer.projects,
			viewer.datasets,
			viewer.experiments,
			viewer.prompts,
			viewer.annotationConfigs,
		]) {
			expect(Array.isArray(await read.list().toArray())).toBe(true);
		}
		expect(await viewer.spans.list("default", { filter: "span_kind == 'LLM'" }).toArray()).toEqual([]);
		const changes = [
			() => viewer.projects.create({ name: "x" }),
			() => viewer.datasets.create({ name: "x" }),
			() => viewer.annotations.logSpans([]),
			() => viewer.sessions.deleteMany(["x"]),
			() => viewer.prompts.delete("x"),
			() => viewer.dashboards.create({ name: "x" }),
			() => viewer.errorGroups.comment("RXJyb3JHcm91cDox", "x"),
		];
		for (const change of changes) await expect(change()).rejects.toBeInstanceOf(PermissionError);
	});
});
