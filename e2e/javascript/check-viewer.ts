import { expect, test } from "vitest";
import { QUIETLY, readEvaluations } from "./check-experiments.ts";
import type { ClientUnderTest } from "./client-under-test.ts";
import { makeSpan, spanId, traceId } from "./make-span.ts";

/** With a viewer's key as `client`: what reads works, everything else is refused with 403. */
export function checkViewer(under: () => ClientUnderTest, functions: () => readonly string[]): void {
	test("a viewer reads everything and changes nothing", async () => {
		const made = await prepare(under());
		const evaluations: number[] = [];
		const { reads, refused, swallowed, pure } = callsOf(under(), made, evaluations);
		const known = [...Object.keys(reads), ...Object.keys(refused), ...Object.keys(swallowed)];
		expect(known.toSorted()).toEqual(
			functions()
				.filter((name) => !pure.includes(name))
				.toSorted(),
		);
		for (const [name, call] of Object.entries(reads)) await expect(call(), name).resolves.toBeTruthy();
		const { tellsUnstored } = under();
		for (const [name, call] of Object.entries(tellsUnstored ? { ...refused, ...swallowed } : refused))
			await expect(call(), name).rejects.toThrow(/403|Viewers may only read/);
		if (!tellsUnstored) {
			for (const call of Object.values(swallowed)) await call().catch(() => {});
			expect(evaluations).toEqual([403, 403]);
		}
		await expectUnchanged(under(), made);
	});
}

const project = { projectName: "js-viewed" };

interface Made {
	readonly datasetId: string;
	readonly experimentId: string;
	readonly startedId: string;
}

async function prepare({ admin: client, spans, datasets, experiments, prompts }: ClientUnderTest): Promise<Made> {
	const attributes = { "session.id": "js-viewed", "input.value": "in", "output.value": "out" };
	await spans.logSpans({
		client,
		project,
		spans: [makeSpan({ trace: 41, span: 41, name: "one", kind: "CHAIN", attributes })],
	});
	const examples = [{ input: { q: 1 }, output: { a: 1 } }];
	const { datasetId } = await datasets.createDataset({ client, name: "js-viewed", description: "", examples });
	const ran = await experiments.runExperiment({ client, dataset: { datasetId }, task: () => 1, ...QUIETLY });
	const started = await experiments.createExperiment({ client, datasetId });
	const version = prompts.promptVersion({ modelProvider: "OPENAI", modelName: "m", template: [] });
	await prompts.createPrompt({ client, name: "js-viewed", version });
	return { datasetId, experimentId: ran.id, startedId: started.id };
}

type Calls = Readonly<Record<string, () => Promise<unknown>>>;

/** @param evaluations gets the statuses with which evaluations are refused */
function callsOf(under: ClientUnderTest, { datasetId, experimentId, startedId }: Made, evaluations: number[]) {
	const { client, spans, traces, sessions, datasets, experiments, prompts } = under;
	const spanAnnotation = { spanId: spanId(41), name: "x", score: 1 };
	const documentAnnotation = { ...spanAnnotation, documentPosition: 0 };
	const traceAnnotation = { traceId: traceId(41), name: "x", score: 1 };
	const sessionAnnotation = { sessionId: "js-viewed", name: "x", score: 1 };
	const dataset = { datasetId };
	const examples = [{ input: { q: 2 } }];
	const version = prompts.promptVersion({ modelProvider: "OPENAI", modelName: "m", template: [] });
	const evaluators = [experiments.asEvaluator({ name: "x", kind: "CODE", evaluate: () => ({ score: 1 }) })];
	const reads: Calls = {
		"spans.getSpans": () => spans.getSpans({ client, project }),
		"spans.getSpanAnnotations": () => spans.getSpanAnnotations({ client, project, spanIds: [spanId(41)] }),
		"traces.getTraces": () => traces.getTraces({ client, project, includeSpans: true }),
		"sessions.getSession": () => sessions.getSession({ client, sessionId: "js-viewed" }),
		"sessions.getSessionTurns": () => sessions.getSessionTurns({ client, sessionId: "js-viewed" }),
		"sessions.listSessions": () => sessions.listSessions({ client, ...project }),
		"datasets.getDataset": () => datasets.getDataset({ client, dataset }),
		"datasets.getDatasetExamples": () => datasets.getDatasetExamples({ client, dataset }),
		"datasets.getDatasetInfo": () => datasets.getDatasetInfo({ client, dataset }),
		"experiments.getExperiment": () => experiments.getExperiment({ client, experimentId }),
		"experiments.getExperimentInfo": () => experiments.getExperimentInfo({ client, experimentId }),
		"experiments.getExperimentRuns": () => experiments.getExperimentRuns({ client, experimentId }),
		"experiments.listExperiments": () => experiments.listExperiments({ client, datasetId }),
		"prompts.getPrompt": () => prompts.getPrompt({ client, prompt: { name: "js-viewed" } }),
		"prompts.listPrompts": () => prompts.listPrompts({ client }),
	};
	const refused: Calls = {
		"spans.logSpans": () =>
			spans.logSpans({ client, project, spans: [makeSpan({ span: 42, name: "new", kind: "CHAIN" })] }),
		"spans.deleteSpan": () => spans.deleteSpan({ client, spanIdentifier: spanId(41) }),
		"spans.addSpanAnnotation": () => spans.addSpanAnnotation({ client, spanAnnotation }),
		"spans.logSpanAnnotations": () => spans.logSpanAnnotations({ client, spanAnnotations: [spanAnnotation] }),
		"spans.addDocumentAnnotation": () => spans.addDocumentAnnotation({ client, documentAnnotation }),
		"spans.logDocumentAnnotations": () =>
			spans.logDocumentAnnotations({ client, documentAnnotations: [documentAnnotation] }),
		"spans.addSpanNote": () => spans.addSpanNote({ client, spanNote: { spanId: spanId(41), note: "x" } }),
		"traces.addTraceAnnotation": () => traces.addTraceAnnotation({ client, traceAnnotation }),
		"traces.logTraceAnnotations": () => traces.logTraceAnnotations({ client, traceAnnotations: [traceAnnotation] }),
		"traces.addTraceNote": () => traces.addTraceNote({ client, traceNote: { traceId: traceId(41), note: "x" } }),
		"sessions.addSessionAnnotation": () => sessions.addSessionAnnotation({ client, sessionAnnotation }),
		"sessions.logSessionAnnotations": () =>
			sessions.logSessionAnnotations({ client, sessionAnnotations: [sessionAnnotation] }),
		"sessions.addSessionNote": () =>
			sessions.addSessionNote({ client, sessionNote: { sessionId: "js-viewed", note: "x" } }),
		"sessions.deleteSession": () => sessions.deleteSession({ client, sessionId: "js-viewed" }),
		"sessions.deleteSessions": () => sessions.deleteSessions({ client, sessionIds: ["js-viewed"] }),
		"datasets.createDataset": () => datasets.createDataset({ client, name: "js-new", description: "", examples }),
		"datasets.appendDatasetExamples": () => datasets.appendDatasetExamples({ client, dataset, examples }),
		"experiments.createExperiment": () => experiments.createExperiment({ client, datasetId }),
		"experiments.runExperiment": () => experiments.runExperiment({ client, dataset, task: () => 1, ...QUIETLY }),
		"experiments.deleteExperiment": () => experiments.deleteExperiment({ client, experimentId }),
		"prompts.createPrompt": () => prompts.createPrompt({ client, name: "js-new", version }),
	};
	// The released client does not wait for what becomes of evaluations.
	const post = client.POST as unknown as (path: string, ...rest: readonly unknown[]) => Promise<unknown>;
	const evaluating = Object.assign(Object.create(client), {
		POST: async (path: string, ...rest: readonly unknown[]) => {
			try {
				return await post(path, ...rest);
			} catch (error) {
				if (path !== "/v1/experiment_evaluations" || !(error instanceof under.root.HttpError)) throw error;
				evaluations.push(error.status);
				return {};
			}
		},
	}) as typeof client;
	// The released client catches what is refused of these and goes on.
	const swallowed: Calls = {
		"experiments.evaluateExperiment": async () => {
			const experiment = await experiments.getExperiment({ client, experimentId });
			return experiments.evaluateExperiment({ client: evaluating, experiment, evaluators, ...QUIETLY });
		},
		"experiments.resumeExperiment": () =>
			experiments.resumeExperiment({ client, experimentId: startedId, task: () => 1, ...QUIETLY }),
		"experiments.resumeEvaluation": () =>
			experiments.resumeEvaluation({ client: evaluating, experimentId, evaluators, ...QUIETLY }),
	};
	/** They send nothing. */
	const pure = [
		"root.createAuthFetch",
		"root.createClient",
		"root.getMergedOptions",
		"experiments.asEvaluator",
		"experiments.asExperimentEvaluator",
		"experiments.fromPhoenixLLMEvaluator",
		"experiments.getExperimentEvaluators",
		"prompts.promptVersion",
		"prompts.toSDK",
	];
	return { reads, refused, swallowed, pure };
}

async function expectUnchanged(under: ClientUnderTest, { datasetId, experimentId, startedId }: Made): Promise<void> {
	const { admin: client, spans, datasets, experiments } = under;
	expect((await spans.getSpans({ client, project })).spans.map(({ name }) => name)).toEqual(["one"]);
	expect((await datasets.getDataset({ client, dataset: { datasetId } })).examples).toHaveLength(1);
	expect(await experiments.listExperiments({ client, datasetId })).toHaveLength(2);
	expect((await experiments.getExperimentInfo({ client, experimentId: startedId })).missingRunCount).toBe(1);
	expect(await readEvaluations(client, experimentId)).toEqual([]);
}
